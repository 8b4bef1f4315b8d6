#!/usr/bin/env bash
# Runs the benchmark that prepare.sh has put into DIR, on a machine with a GPU; prints Markdown.  Builds the program anew where
# the one that came along does not start.
#
# usage: run.sh DIR [ROUNDS [AGAIN]]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:?"usage: run.sh DIR [ROUNDS [AGAIN]]"}
"$dir/program" --starts 2>/dev/null || bash "$here/build.sh" "$dir" >&2
echo "$(date -u +%Y-%m-%d), driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)"
echo
"$dir/program" "${2:-51}" "${3:-15}"
