#!/usr/bin/env bash
# Builds and runs the tests of meshes on several GPUs, and the benchmarks of their barriers and of copies that tcpc plans.
#
# usage: mesh.sh [DEVICES]
#
# NVCC chooses the compiler, ARCH the architecture (default: sm_90), NCCL_LIBRARY the NCCL that the benchmarks load. TCPC is the compiler of plans.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${TCPC:-$root/build/bin/tcpc}" -D "G=${1:-2}" "$root/bench/mesh/planned.tcp" -o "$work/planned.cu"
"${TCPC:-$root/build/bin/tcpc}" -D "G=${1:-2}" "$root/bench/mesh/alone.tcp" -o "$work/alone.cu"
for program in "$here/mesh_test.cu" "$root/bench/mesh/mesh_bench.cu" "$root/bench/mesh/planned_bench.cu"; do
    plan=()
    [[ $program == */planned_bench.cu ]] && plan=("$work/planned.cu" "$work/alone.cu")
    "$nvcc" -std=c++17 -O2 -arch="${ARCH:-sm_90}" -I "$root/runtime" "$program" "${plan[@]}" "$root/runtime/tcp_mesh.cu" -ldl \
        -o "$work/$(basename "$program" .cu)"
done
export CUDA_MODULE_LOADING=EAGER  # a kernel that is loaded late waits for those that run
"$work/mesh_test" "${1:-2}"
for bench in mesh_bench planned_bench; do
    NCCL_NVLS_ENABLE=0 "$work/$bench" "${1:-2}"
done
