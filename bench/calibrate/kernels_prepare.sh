#!/usr/bin/env bash
# Writes programs whose kernels are counted: random plans, random pipelines and the plans of the repository, one folder each, with
# what `tcpc count` says of them in count.json.
#
# usage: kernels_prepare.sh OUT [SEED [PLANS]]     BUILD is tcpc's build folder (default: build)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=$1 seed=${2:-1} plans=${3:-8} build=${BUILD:-build}
mkdir -p "$out"
program() {  # NAME PLAN
    "$build/bin/tcpc" count -w -arch=sm_90 --json -o "$out/count.json" "$2" 2>"$out/log" || true
    local params  # the same for both
    params=$(python3 -c 'import json, sys
print(*sorted({f"--param={n}={v}" for k in json.load(open(sys.argv[1])) for n, v in k["params"].items()}))' "$out/count.json") || { echo "$1 is left out: $(head -1 "$out/log")"; return; }
    "$build/bin/tcpc" run -w -arch=sm_90 $params --write "$out/$1" "$2" 2>"$out/log" || { echo "$1 is left out: $(head -1 "$out/log")"; rm -rf "${out:?}/$1"; return; }
    mv "$out/count.json" "$out/$1/"
    rm -f "$out/$1"/*.expect
}
for ((i = 0; i < plans; ++i)); do
    "$build/bin/gen_plans" $((seed + i)) 25 >"$out/plan.tcp"
    program "random_$((seed + i))" "$out/plan.tcp"
done
for ((i = 0; i < plans / 2; ++i)); do
    "$build/bin/random_sync" --print $((seed + i)) --kernels 25 >"$out/plan.tcp"
    program "pipelines_$((seed + i))" "$out/plan.tcp"
done
for plan in tests/plans/*.tcp tests/cost/counted.tcp; do [ ! -e "$plan" ] || program "plan_$(basename "$plan" .tcp)" "$plan"; done
rm -f "$out/plan.tcp" "$out/log"
