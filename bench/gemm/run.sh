#!/usr/bin/env bash
# Builds examples/gemm and its peer, CuTe's tutorial, compares values, and times both beside cuBLAS (PyTorch's).  Needs a GPU, nvcc and PyTorch.
#
# usage: run.sh CUTLASS [ROUNDS]      CUTLASS: the folder of CUTLASS's headers, which has cute/tensor.hpp
#
# HEADER is what tcpc makes of examples/gemm/gemm.tcp (default: gemm.cuh beside it, where prepare.sh puts it), BUILD the folder to
# build in (default: build-gpu/gemm), ARCH the architecture (default: sm_90a).
set -euo pipefail
cutlass=$(cd "$1" && pwd) rounds=${2:-15}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
header=${HEADER:-examples/gemm/gemm.cuh} out=${BUILD:-build-gpu/gemm}
mkdir -p "$out/include"
cp "$header" "$out/include/gemm.cuh"
flags="-std=c++17 -arch=${ARCH:-sm_90a} -O3 -shared -Xcompiler -fPIC -Xptxas -v"
build() {  # NAME, then what nvcc gets
    # shellcheck disable=SC2086
    nvcc $flags "${@:2}" -o "$out/$1.so" >"$out/$1.log" 2>&1 || {
        cat "$out/$1.log" >&2
        return 1
    }
}
build gemm -I "$out/include" -I runtime examples/gemm/gemm.cu &
jobs=($!)
for staged in 0 1; do
    build peer_$staged -DSTAGED=$staged -I "$cutlass" bench/gemm/peer.cu &
    jobs+=($!)
done
for job in "${jobs[@]}"; do wait "$job"; done
for name in gemm peer_0 peer_1; do
    echo "# $name: $(grep -h -o 'Used [0-9]* registers' "$out/$name.log"), $(grep -h -o '[0-9]* bytes spill stores' "$out/$name.log")"
done
python3 bench/gemm/bench.py "$out" "$rounds"
