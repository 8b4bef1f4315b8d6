#!/usr/bin/env bash
# Builds the libraries of the peers in the folder that prepare.sh wrote: what is older than its source or a header.  Needs nvcc.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
options="-std=c++17 -O3 -arch=${ARCH:-sm_90} -w -Xcompiler -fPIC -I include -I ."
stale() { # SOURCE HEADERS..
    local object=${1%.cu}.o
    if [ ! -e "$object" ] || [ -n "$(find "$@" -newer "$object" -print -quit)" ]; then echo "$1"; fi
}
{
    for source in *.cu; do stale "$source" relayout.h turn.cuh; done
    for source in plans/*.cu; do stale "$source" include/tcp_*; done
} | xargs -r -P "$(nproc)" -I{} sh -c 'nvcc '"$options"' -c "$1" -o "${1%.cu}.o"' - {}
nvcc -shared ./*.o -ldl -o librelayout.so
nvcc -shared plans/*.o -o libtcpc.so
