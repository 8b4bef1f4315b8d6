# `./dev fuzz`, with the functions of that file.
# shellcheck shell=bash

# fuzz_target NAME SECONDS INPUTS...: inputs that fail go to build-fuzz/found.
fuzz_target() {
    local name=$1 seconds=$2 dict=plan corpus=build-fuzz/corpus/$1
    shift 2
    # libFuzzer first runs all inputs that it kept, however long that takes.  So a short run starts with none.
    rm -rf build-fuzz/short
    [ "$seconds" -ge 100 ] || corpus=build-fuzz/short
    [ "$name" != calc ] || dict=calc
    say "$name for $seconds s"
    mkdir -p "$corpus"
    sanitizer_env build-fuzz/bin/fuzz_"$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=6000 -dict=build-fuzz/start/$dict.dict \
        -close_fd_mask=1 -artifact_prefix="build-fuzz/found/$name-" "$corpus" "$@" >"build-fuzz/found/$name.log" 2>&1 || {
        tail -n 40 "build-fuzz/found/$name.log"
        failures=1
    }
    grep -h "^Done " "build-fuzz/found/$name.log" || true
}

# The shares of the time add up to 100.
fuzz_all() {
    local seconds=${1:-600} in=tests/fuzz plans=build-fuzz/start/plans
    configure fuzz build-fuzz
    ninja -C build-fuzz --quiet tcpc fuzz_words fuzz_plan fuzz_explain fuzz_fmt fuzz_parse fuzz_calc || die "the build of build-fuzz failed"
    mkdir -p build-fuzz/found
    .venv/bin/python tests/fuzz/prepare.py build-fuzz/bin/tcpc build-fuzz/bin/fuzz_words build-fuzz/start $((seconds / 4 + 10))
    fuzz_target plan $((seconds * 30 / 100 + 1)) $in/plan $plans
    fuzz_target explain $((seconds * 25 / 100 + 1)) $in/plan $plans
    fuzz_target fmt $((seconds * 5 / 100 + 1)) $in/parse $plans
    fuzz_target parse $((seconds * 5 / 100 + 1)) $in/parse $plans
    fuzz_target calc $((seconds * 10 / 100 + 1)) $in/calc
    local build
    for build in build build-fuzz; do
        say "changed plans, run by the subcommands of $build"
        sanitizer_env .venv/bin/python tests/tools/mutated.py $build/bin/tcpc --seconds $((seconds * jobs * 12 / 100 + 1)) -j "$jobs" --keep build-fuzz/found ||
            failures=1
    done
    [ $failures = 0 ] || die "something failed; the inputs are in build-fuzz/found; put them into tests/fuzz"
    say "no failures"
}
