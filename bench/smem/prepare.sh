#!/usr/bin/env bash
# Writes all that run.sh needs on a machine with a GPU into one folder, where tcpc is built: the emitted header, the program, and
# the headers of the runtime and of CuTe that they include.
#
# usage: prepare.sh [DIR]        default: build-gpu/smem, which git ignores
#
# BUILD is the build folder of tcpc (default: build), CUTLASS the folder of CUTLASS's headers (default: as bench/pipeline has them).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cutlass=${CUTLASS:-$("$here/../pipeline/cutlass.sh")}
cd "$here/../.."
out=${1:-build-gpu/smem}
rm -rf "$out"
mkdir -p "$out/include"
cp bench/smem/main.cu bench/smem/run.sh "$out/"
cp runtime/tcp_*.{h,cuh} "$out/include/"
"${BUILD:-build}/bin/tcpc" bench/smem/smem.tcp --emit=header -o "$out/smem.cuh"
for header in $(nvcc -std=c++17 -arch=sm_90 -I "$out/include" -I "$out" -I "$cutlass" -M bench/smem/main.cu | tr ' \\' '\n\n' |
    grep "^$cutlass/" | sort -u); do
    mkdir -p "$out/include/$(dirname "${header#"$cutlass/"}")"
    cp "$header" "$out/include/${header#"$cutlass/"}"
done
echo "$out: $(du -sm "$out" | cut -f1) MiB; there: bash $out/run.sh" >&2
