#!/usr/bin/env bash
# Writes all that run.sh needs on a machine with a GPU into one folder, where tcpc is built: the emitted kernels, CuTe's, the
# headers they include, and the program built of them.
#
# usage: prepare.sh [DIR]        default: build-gpu/pipeline, which git ignores
#
# BUILD is the build folder of tcpc (default: build), ARCH the architecture (default: sm_90); EMITTED a folder whose
# STAGES_HINT/colsum.cu are taken instead of what tcpc emits, to try changes to the emitted text.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cutlass=$("$here/cutlass.sh")
cd "$here/../.."
build=${BUILD:-build} out=${1:-build-gpu/pipeline}
rm -rf "$out"
mkdir -p "$out/include"
cp bench/pipeline/*.{cu,cuh,h,sh} "$out/"
cp runtime/tcp_*.{h,cuh} "$out/include/"
for stages in 1 2 3 4; do
    for way in roles tma tma_roles; do
        to=$out/emitted/${stages}_$way
        mkdir -p "$to"
        cp bench/pipeline/colsum.tcp "$to/"
        case $way in
        *roles)  # one warp loads, beside the 4 that fold
            sed -i -e "s/ threads 128 {/ {/; /g2s =/s/thr=(16,8)/thr=(4,8)/" \
                -e "s/\(  pipeline .*\) {/\1 warps (load = 1, use = 4) {/" "$to/colsum.tcp" ;;
        esac
        case $way in
        tma*) sed -i "s/ with g2s;/ with tma.load;/; /g2s =/d" "$to/colsum.tcp" ;;
        esac
        "$build/bin/tcpc" -w -arch=sm_90 -D STAGES=$stages "$to/colsum.tcp" -o "$to/colsum.cu"
    done
    for l2 in 0 128; do
        to=$out/emitted/${stages}_$l2
        mkdir -p "$to"
        if [ -n "${EMITTED:-}" ]; then
            cp "$EMITTED/${stages}_$l2/colsum.cu" "$to/"
        else
            sed "s/, l2=128/$([ $l2 = 0 ] || echo ", l2=$l2")/" bench/pipeline/colsum.tcp >"$to/colsum.tcp"
            "$build/bin/tcpc" -w -arch=sm_90 -D STAGES=$stages "$to/colsum.tcp" -o "$to/colsum.cu"
        fi
    done
done
for header in $(nvcc -std=c++17 -arch="${ARCH:-sm_90}" -DSTAGES=4 -I "$cutlass" -M bench/pipeline/cute_{,tma_}peer.cu | tr ' \\' '\n\n' |
    grep "^$cutlass/" | sort -u); do
    mkdir -p "$out/include/$(dirname "${header#"$cutlass/"}")"
    cp "$header" "$out/include/${header#"$cutlass/"}"
done
bash "$out/build.sh" "$out"
echo "$out: $(du -sm "$out" | cut -f1) MiB; there: bash bench/pipeline/run.sh $out" >&2
