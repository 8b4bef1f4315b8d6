#!/usr/bin/env bash
# Builds and runs the tests of meshes on several GPUs, and the benchmarks of their barriers and of copies that tcpc plans, also for a mesh of one.
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
# build PROGRAM SOURCE..
build() {
    "$nvcc" -std=c++17 -O2 -arch="${ARCH:-sm_90}" -I "$root/runtime" "${@:2}" "$root/runtime/tcp_mesh.cu" -ldl -o "$work/$1"
}
build mesh_test "$here/mesh_test.cu"
"${TCPC:-$root/build/bin/tcpc}" -w -D "G=${1:-2}" "$here/uneven.tcp" -o "$work/uneven.cu"
build uneven "$here/uneven.cu" "$work/uneven.cu"
build mesh_bench "$root/bench/mesh/mesh_bench.cu"
for devices in "${1:-2}" 1; do
    for plan in planned alone; do
        "${TCPC:-$root/build/bin/tcpc}" -D "G=$devices" "$root/bench/mesh/$plan.tcp" -o "$work/$plan.cu"
    done
    build "planned_bench_$devices" "$root/bench/mesh/planned_bench.cu" "$work/planned.cu" "$work/alone.cu"
done
export CUDA_MODULE_LOADING=EAGER  # a kernel that is loaded late waits for those that run
"$work/mesh_test" "${1:-2}"
"$work/uneven" "${1:-2}"
export NCCL_NVLS_ENABLE=0
"$work/mesh_bench" "${1:-2}"
for devices in "${1:-2}" 1; do "$work/planned_bench_$devices" "$devices"; done
