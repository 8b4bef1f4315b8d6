#!/usr/bin/env bash
# Writes all that run.sh needs on a machine with a GPU into one folder, where tcpc is built: the planned kernels and their plans,
# the peers, the headers that they include, and the libraries built of them.  CuTe's headers and cuTENSOR come from PyPI, once.
# In a folder that it wrote before, it builds only what changed.
#
# usage: prepare.sh [DIR] [LIST..]        default: build-gpu/relayout, which git ignores, and the lists of prepare.py
#
# BUILD is the build folder of tcpc (default: build), ARCH the architecture (default: sm_90); PEERS=none leaves out CuTe and cuTENSOR.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
build=${BUILD:-build} out=${1:-build-gpu/relayout} arch=${ARCH:-sm_90}
mkdir -p "$out/include"
cp -p "$here"/{lib,hand,tma}.cu "$here"/{bench,counters,torch_peers,triton_peers,report,sizes}.py "$here"/{build,run}.sh "$here"/{relayout.h,turn.cuh} "$out/"
cp -p runtime/tcp_*.{h,cuh} "$out/include/"
mkdir -p "$out"/python/tcpc/{lib,include}
cp -p python/tcpc/*.py "$out/python/tcpc/"
cp -pL "$build"/compiler/libtcpc.so "$build"/python/libtcpc_core.so "$out/python/tcpc/lib/"
ln -sfn ../../../include "$out/python/tcpc/include/tcpc"
python3 "$here/prepare.py" "$build/bin/tcpc" "$out" "${@:2}"
if [ "${PEERS:-all}" != none ]; then
    cp -p "$here"/{cute,cutensor}.cu "$out/"
    cutlass=$("$here/../pipeline/cutlass.sh")
    nvcc -std=c++17 -arch="$arch" -I "$cutlass" -M "$here/cute.cu" | tr ' \\' '\n\n' | grep "^$cutlass/" | sort -u | while read -r header; do
        mkdir -p "$out/include/$(dirname "${header#"$cutlass/"}")"
        cp -p "$header" "$out/include/${header#"$cutlass/"}"
    done
    cutensor=$("$here/cutensor.sh")
    cp -pr "$cutensor"/include/* "$out/include/"
    cp -p "$cutensor/libcutensor.so.2.xz" "$out/"
fi
bash "$out/build.sh"
echo "$out: $(du -sm "$out" | cut -f1) MiB; there: bash run.sh" >&2
