#!/usr/bin/env bash
# Puts into DIR what epilogue.cu is built of: with tcpc here, with nvcc where the GPU is.
#
# usage: epilogue.sh DIR [TCPC]        then in DIR: bash build.sh && ./program
set -euo pipefail
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tcpc=$(realpath "${2:-build/bin/tcpc}")
cp -r runtime "$out/include"
cp bench/gemm/epilogue.cu examples/gemm/{gemm.cu,gemm.h,mma.cuh} examples/attention_loads/fold.cuh "$out/"
(cd examples/gemm && "$tcpc" -w gemm.tcp --emit=header -o "$out/gemm.cuh")
"$tcpc" -w bench/gemm/epilogue.tcp -o "$out/products.cu"
plan=examples/attention_loads/attention_loads.tcp
"$tcpc" -w -arch=sm_90 "$plan" -o "$out/attention_loads.cu"
sed 's/^kernel attention_loads/kernel attention_tma/; s/^\(  stO: .*\) with rows;/\1 with tma.store;/' "$plan" >"$out/attention_tma.tcp"
grep -q tma.store "$out/attention_tma.tcp"
"$tcpc" -w -arch=sm_90 "$out/attention_tma.tcp" -o "$out/attention_tma.cu"
cat >"$out/build.sh" <<'END'
set -e
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
for f in epilogue.cu gemm.cu products.cu attention_loads.cu attention_tma.cu include/tcp_cuda.cu; do
    "$nvcc" -O3 -std=c++17 -arch=sm_90 -DD=64 -I include -I . -c "$f" -o "$(basename "$f").o" &
    jobs="$jobs $!"
done
for job in $jobs; do wait "$job"; done
"$nvcc" -arch=sm_90 ./*.o -o program
END
