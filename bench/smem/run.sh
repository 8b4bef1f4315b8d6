#!/usr/bin/env bash
# Builds and runs main.cu in the folder that prepare.sh wrote: CSV, a line a layout.  Needs nvcc and a GPU; ARCH: default sm_90.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
nvcc -std=c++17 -O3 -arch="${ARCH:-sm_90}" -w -I include -I . main.cu -o smem
./smem
