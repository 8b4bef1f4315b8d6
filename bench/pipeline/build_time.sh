#!/usr/bin/env bash
# Time to build the benchmark's kernel with 4 stages: tcpc and nvcc beside CuTe and nvcc, in alternating rounds on this machine;
# medians of wall and processor seconds, as Markdown.  Both come with their launcher, as an object for one architecture.
#
# usage: build_time.sh [ROUNDS]
#
# BUILD is the build folder of tcpc (default: build; a release build is what users have), ARCH the architecture (default: sm_90).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cutlass=$("$here/cutlass.sh")
cd "$here/../.."
build=${BUILD:-build} arch=${ARCH:-sm_90} rounds=${1:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-O3 -std=c++17 -arch=$arch -I bench/pipeline"

emit() { "$build/bin/tcpc" -w "-arch=$arch" bench/pipeline/colsum.tcp -o "$work/colsum.cu"; }
tcpc() { emit && nvcc $flags -I runtime -c "$work/colsum.cu" -o "$work/tcpc.o"; }
cute() { nvcc $flags -DSTAGES=4 -I "$cutlass" -c bench/pipeline/cute_peer.cu -o "$work/cute.o"; }
empty() { nvcc $flags -c "$work/empty.cu" -o "$work/empty.o"; }
echo '__global__ void empty() {}' >"$work/empty.cu"

TIMEFORMAT='%R %U %S'
for ((i = 0; i < rounds; ++i)); do
    for what in tcpc cute emit empty; do { time $what; } 2>>"$work/$what"; done
done
median() { sort -n | awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] }'; }
wall() { cut -d' ' -f1 "$work/$1" | median; }
cpu() { awk '{ print $2 + $3 }' "$work/$1" | median; }
row() { echo "| $2 | $(wall $1) | $(cpu $1) | $(cut -d' ' -f1 "$work/$1" | sort -n | sed -n '1p;$p' | paste -sd' ') |"; }
echo "$(date -u +%Y-%m-%d), $(nproc) cores, $(nvcc --version | grep -o 'release.*'), $arch, medians of $rounds alternating rounds"
echo
echo "| | wall s | processor s | fastest and slowest s |"
echo "| --- | --- | --- | --- |"
row tcpc "tcpc + nvcc"
row cute "CuTe + nvcc"
row emit "tcpc alone"
row empty "nvcc of an empty kernel"
echo
awk -v a="$(wall cute)" -v b="$(wall tcpc)" -v c="$(cpu cute)" -v d="$(cpu tcpc)" \
    'BEGIN { printf "CuTe takes %.1f times the wall time and %.1f times the processor time.\n", a / b, c / d }'
