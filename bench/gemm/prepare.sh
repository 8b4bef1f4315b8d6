#!/usr/bin/env bash
# Writes all that run.sh needs on a machine with a GPU into one folder, where tcpc is built: sources, the emitted header, and the headers of
# CUTLASS that the peer includes.
#
# usage: prepare.sh [DIR] [CUTLASS]      default: build-gpu/gemm-root, which git ignores; CUTLASS's headers from PyPI
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cutlass=${2:-$("$here/../pipeline/cutlass.sh")}
cutlass=$(cd "$cutlass" && pwd)
cd "$here/../.."
out=${1:-build-gpu/gemm-root}
rm -rf "$out"
mkdir -p "$out/bench/gemm" "$out/examples/gemm" "$out/runtime" "$out/cutlass"
cp bench/gemm/{bench.py,run.sh} "$out/bench/gemm/"
python3 bench/gemm/peer.py "$cutlass/../examples/cute/tutorial/sgemm_sm80.cu" -o "$out/bench/gemm/peer.cu"
cp examples/gemm/gemm.{cu,h,tcp} examples/gemm/mma.cuh "$out/examples/gemm/"
cp runtime/tcp_*.{h,cuh} "$out/runtime/"
"${BUILD:-build}/bin/tcpc" examples/gemm/gemm.tcp --emit=header -o "$out/examples/gemm/gemm.cuh"
# what nvcc says that the peer includes, one file a line
for header in $(for staged in 0 1; do nvcc -std=c++17 -arch="${ARCH:-sm_90a}" -DSTAGED=$staged -I "$cutlass" -M "$out/bench/gemm/peer.cu"; done |
    grep -o '[^ ]*' | grep "^$cutlass/" | sort -u); do
    mkdir -p "$out/cutlass/$(dirname "${header#"$cutlass/"}")"
    cp "$header" "$out/cutlass/${header#"$cutlass/"}"
done
echo "$out: $(du -sm "$out" | cut -f1) MiB; there: bash bench/gemm/run.sh cutlass" >&2
