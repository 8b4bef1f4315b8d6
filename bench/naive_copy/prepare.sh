#!/usr/bin/env bash
# Writes the programs that time examples/naive_copy, where tcpc is built: one folder a plan and number of tiles.
#
# usage: prepare.sh [DIR]        default: build-gpu/naive_copy, which git ignores
#
# BUILD is the build folder of tcpc (default: build), ARCH the architecture (default: sm_90), TILES the numbers of tiles, one a
# block (default: 1 and 4096: one block, and 512 MiB a tensor over all SMs).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${BUILD:-build} out=${1:-build-gpu/naive_copy}
rm -rf "$out"
mkdir -p "$out/runtime"
cp -r runtime/*.{h,cuh,cu,cpp} "$out/runtime/"
for plan in naive_copy loads; do
    for tiles in ${TILES:-1 4096}; do
        "$build/bin/tcpc" run -w -arch="${ARCH:-sm_90}" --time --no-check -D TILES="$tiles" --write "$out/${plan}_$tiles" \
            "examples/naive_copy/$plan.tcp"
    done
done
echo "$out: $(du -sm "$out" | cut -f1) MiB; there: bash bench/naive_copy/run.sh $out" >&2
