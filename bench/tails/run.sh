#!/usr/bin/env bash
# Runs what prepare.sh has put into DIR, on a machine with a GPU; prints Markdown.  Builds the program anew where the one that
# came along does not start.
#
# usage: run.sh DIR [ROUNDS]
set -euo pipefail
cd "${1:?"usage: run.sh DIR [ROUNDS]"}"
./program --starts 2>/dev/null || nvcc -O3 -std=c++17 -arch="${ARCH:-sm_90}" -I include main.cu -o program >&2
echo "$(date -u +%Y-%m-%d), driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)"
echo
./program "${2:-31}"
