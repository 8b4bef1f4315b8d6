#!/usr/bin/env bash
# Builds the libraries that bench.py times: examples/flash_attention for heads of 64 and 128 elements.
#
# usage: build.sh PLANS DIR      PLANS: a folder of NAME-D.cu, as tcpc has made them of the plan
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
plans=$1 out=$2
mkdir -p "$out"
for plan in "$plans"/*.cu; do
    nvcc -std=c++17 -arch=sm_90a -O3 -shared -Xcompiler -fPIC -Xptxas -v -I runtime -I examples/flash_attention "$plan" runtime/tcp_cuda.cu \
        -o "$out/$(basename "$plan" .cu).so" 2>&1 | grep -E "error|Compiling|registers|spill" >"$out/$(basename "$plan" .cu).log" &
done
wait
