#!/usr/bin/env bash
# Writes the emitted copies and the program built of them into one folder, where tcpc is built.
#
# usage: prepare.sh [DIR]        default: build-gpu/tails, which git ignores
#
# BUILD is the build folder of tcpc (default: build), ARCH the architecture (default: sm_90).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${BUILD:-build} out=${1:-build-gpu/tails}
rm -rf "$out"
mkdir -p "$out/include"
cp bench/tails/main.cu "$out/"
cp runtime/tcp_*.{h,cuh} "$out/include/"
"$build/bin/tcpc" -w -arch=sm_90 bench/tails/tails.tcp -o "$out/tails.cu"
(cd "$out" && nvcc -O3 -std=c++17 -arch="${ARCH:-sm_90}" -I include main.cu -o program)
echo "$out: $(du -sm "$out" | cut -f1) MiB; there: bash bench/tails/run.sh $out" >&2
