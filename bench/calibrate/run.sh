#!/usr/bin/env bash
# usage: run.sh OUT [COUNT [SEED]]: measures accesses of one warp and writes OUT/probes.tsv.  About 120 ms each.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1 count=${2:-4500} seed=${3:-1}
mkdir -p "$out"
nvcc -std=c++17 -O2 -arch="${ARCH:-sm_90a}" "$here/probe.cu" -o "$out/probe"
python3 "$here/patterns.py" "$count" "$seed" >"$out/patterns.txt"
metrics=$(python3 "$here/table.py" --metrics)
ncu --clock-control none --cache-control none --csv --page raw --print-units base --metrics "$metrics" \
    "$out/probe" "$out/patterns.txt" >"$out/ncu.csv" 2>"$out/ncu.log"
python3 "$here/table.py" "$out/patterns.txt" "$out/ncu.csv" >"$out/probes.tsv"
