#!/usr/bin/env bash
# Builds and runs main.cu in the folder that prepare.py wrote: CSV, a line a case.  Needs nvcc and a GPU; ARCH: default sm_90.
#
# usage: run.sh [PART OF A NAME]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
arch=${ARCH:-sm_90}
for source in *.cu; do
    [ "${source%.cu}.o" -nt "$source" ] || echo "$source"
done | xargs -r -P "$(nproc)" -I{} sh -c 'nvcc -std=c++17 -O3 -arch='"$arch"' -w -I include -I . -c "$1" -o "${1%.cu}.o"' - {}
nvcc -arch="$arch" ./*.o -o relayout
./relayout "$@"
