#!/usr/bin/env bash
# Builds and runs the tests of meshes on several GPUs, and the benchmark of their barriers.
#
# usage: mesh.sh [DEVICES]
#
# NVCC chooses the compiler, ARCH the architecture (default: sm_90), NCCL_LIBRARY the NCCL that the benchmark loads.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in "$here/mesh_test.cu" "$root/bench/mesh/mesh_bench.cu"; do
    "$nvcc" -std=c++17 -O2 -arch="${ARCH:-sm_90}" -I "$root/runtime" "$program" "$root/runtime/tcp_mesh.cu" -ldl \
        -o "$work/$(basename "$program" .cu)"
done
export CUDA_MODULE_LOADING=EAGER  # a kernel that is loaded late waits for those that run
"$work/mesh_test" "${1:-2}"
NCCL_NVLS_ENABLE=0 "$work/mesh_bench" "${1:-2}"
