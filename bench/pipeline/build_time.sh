#!/usr/bin/env bash
# Time to build the benchmark's kernel with 4 stages, by cp.async and by TMA: tcpc and nvcc beside CuTe and nvcc, in alternating rounds on
# this machine; medians of wall and processor seconds, as Markdown.  Both come with their launcher, as an object for one architecture.
#
# usage: build_time.sh [ROUNDS]
#
# BUILD is the build folder of tcpc (default: build; a release build is what users have), ARCH the architecture (default: sm_90),
# CUTLASS the folder of CuTe's headers (default: those of PyPI), ONLY the ways that are measured (default: cp_async tma).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cutlass=${CUTLASS:-$("$here/cutlass.sh")} only=${ONLY:-cp_async tma}
cd "$here/../.."
build=${BUILD:-build} arch=${ARCH:-sm_90} rounds=${1:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-O3 -std=c++17 -arch=$arch -I bench/pipeline"

emit_cp_async() { "$build/bin/tcpc" -w "-arch=$arch" bench/pipeline/colsum.tcp -o "$work/cp_async.cu"; }
emit_tma() { "$build/bin/tcpc" -w "-arch=$arch" "$work/tma.tcp" -o "$work/tma.cu"; }
tcpc_cp_async() { emit_cp_async && nvcc $flags -I runtime -c "$work/cp_async.cu" -o "$work/tcpc.o"; }
tcpc_tma() { emit_tma && nvcc $flags -I runtime -c "$work/tma.cu" -o "$work/tcpc.o"; }
cute_cp_async() { nvcc $flags -w -DSTAGES=4 -I "$cutlass" -c bench/pipeline/cute_peer.cu -o "$work/cute.o"; }
cute_tma() { nvcc $flags -w -DSTAGES=4 -I "$cutlass" -c bench/pipeline/cute_tma_peer.cu -o "$work/cute.o"; }
empty() { nvcc $flags -c "$work/empty.cu" -o "$work/empty.o"; }
sed "s/ with g2s;/ with tma.load;/; /g2s =/d" bench/pipeline/colsum.tcp >"$work/tma.tcp"
cp bench/pipeline/fold.cuh "$work/"
echo '__global__ void empty() {}' >"$work/empty.cu"

TIMEFORMAT='%R %U %S'
for ((i = 0; i < rounds; ++i)); do
    for way in $only; do
        for what in tcpc_$way cute_$way emit_$way; do { time $what; } 2>>"$work/$what"; done
    done
    { time empty; } 2>>"$work/empty"
done
median() { sort -n | awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] }'; }
wall() { cut -d' ' -f1 "$work/$1" | median; }
cpu() { awk '{ print $2 + $3 }' "$work/$1" | median; }
row() { echo "| $2 | $(wall $1) | $(cpu $1) | $(cut -d' ' -f1 "$work/$1" | sort -n | sed -n '1p;$p' | paste -sd' ') |"; }
echo "$(date -u +%Y-%m-%d), $(nproc) cores, $(nvcc --version | grep -o 'release.*'), $arch, medians of $rounds alternating rounds"
echo
echo "| | wall s | processor s | fastest and slowest s |"
echo "| --- | --- | --- | --- |"
for way in $only; do
    row tcpc_$way "$way: tcpc + nvcc"
    row cute_$way "$way: CuTe + nvcc"
    row emit_$way "$way: tcpc alone"
done
row empty "nvcc of an empty kernel"
echo
for way in $only; do
    awk -v way="$way" -v a="$(wall cute_$way)" -v b="$(wall tcpc_$way)" -v c="$(cpu cute_$way)" -v d="$(cpu tcpc_$way)" \
        'BEGIN { printf "%s: CuTe takes %.1f times the wall time and %.1f times the processor time.\n", way, a / b, c / d }'
done
