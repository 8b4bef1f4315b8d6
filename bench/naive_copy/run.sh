#!/usr/bin/env bash
# Builds and runs what prepare.sh has put into DIR, on a machine with a GPU and nvcc; prints Markdown: GB/s of each kernel, read
# and written together, the median of LAUNCHES, in ROUNDS rounds one after the other as least .. most.
#
# usage: run.sh DIR [ROUNDS] [LAUNCHES]
set -euo pipefail
cd "${1:?"usage: run.sh DIR [ROUNDS] [LAUNCHES]"}"
rounds=${2:-5} launches=${3:-50}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
arch=${ARCH:-sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)}
for folder in */; do
    [ -e "$folder/main.cpp" ] || continue
    "$nvcc" -O2 -std=c++17 -arch="$arch" -I runtime "$folder"plan.cu "$folder"main.cpp runtime/tcp_harness.cpp runtime/tcp_cuda.cu \
        -o "$folder"program >&2 &
done
wait
echo "$(date -u +%Y-%m-%d), $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)"
echo
echo "| plan and tiles | kernel | GB/s | ms |"
echo "| --- | --- | --- | --- |"
for ((r = 0; r < rounds; ++r)); do
    for folder in */; do
        [ -x "$folder/program" ] || continue
        (cd "$folder" && ./program --time "$launches" --no-check) | sed "s|^|${folder%/} |"
    done
done | awk '
    # NAME KERNEL: 3412.5 GB/s (0.0787 ms, 268435456 bytes)
    { key = $1 " | " substr($2, 1, length($2) - 1); ms = substr($5, 2) + 0
      if (!(key in least)) { order[++n] = key; least[key] = most[key] = $3; shortest[key] = longest[key] = ms }
      if ($3 + 0 < least[key] + 0) least[key] = $3
      if ($3 + 0 > most[key] + 0) most[key] = $3
      if (ms < shortest[key]) shortest[key] = ms
      if (ms > longest[key]) longest[key] = ms }
    END { for (i = 1; i <= n; ++i) { k = order[i]; printf "| %s | %s .. %s | %s .. %s |\n", k, least[k], most[k], shortest[k], longest[k] } }'
