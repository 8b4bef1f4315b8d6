#!/usr/bin/env bash
# Builds DIR/program of what prepare.sh has put into DIR: one object a peer.
#
# usage: build.sh DIR        ARCH: the architecture (default: sm_90), JOBS: how many at a time
set -euo pipefail
cd "$1"
flags="-O3 -std=c++17 -arch=${ARCH:-sm_90} -I include -I ."
rm -f ./*.o program
commands=("main.cu -o main.o")
for stages in 1 2 3 4; do
    for l2 in 0 128; do
        commands+=("-DTHREADS=128 -DSTAGES=$stages -DHINT=$l2 -Dcolsum_launch=colsum_${stages}_$l2 -I emitted/${stages}_$l2 tcpc_peer.cu -o tcpc_${stages}_$l2.o")
    done
    commands+=("-DTHREADS=160 -DSTAGES=$stages -DHINT=roles -Dcolsum_launch=colsum_${stages}_roles -I emitted/${stages}_roles tcpc_peer.cu -o tcpc_${stages}_roles.o")
    commands+=("-DTHREADS=128 -DSTAGES=$stages -DHINT=tma -DRING_BYTES=64 -Dcolsum_launch=colsum_${stages}_tma -I emitted/${stages}_tma tcpc_peer.cu -o tcpc_${stages}_tma.o")
    commands+=("-DTHREADS=160 -DSTAGES=$stages -DHINT=tma_roles -DRING_BYTES=64 -Dcolsum_launch=colsum_${stages}_tma_roles -I emitted/${stages}_tma_roles tcpc_peer.cu -o tcpc_${stages}_tma_roles.o")
    commands+=("-DSTAGES=$stages cute_peer.cu -o cute_$stages.o")
    commands+=("-DSTAGES=$stages cute_tma_peer.cu -o cute_tma_$stages.o")
done
printf '%s\n' "${commands[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} sh -c "nvcc $flags -c {}"
nvcc -arch="${ARCH:-sm_90}" ./*.o -o program
