#!/usr/bin/env bash
# Runs prepared programs on a GPU: builds each, runs it, and runs it again under the four tools of compute-sanitizer.
#
# usage: run.sh [--time] [--no-sanitizer] [DIR]
#
# A program is a folder DIR/NAME as prepare.sh writes them: emitted files (*.cu), a generated main.cpp, its expected files
# (*.expect), "sanitize" when the tools are to look at it (those that it names, or all), "sass", whose lines say which accesses a kernel has in SASS,
# as a regular expression, "tight" when memcheck is to see it without guard zones, and "must-fail" when it is wrong: lines TOOL WORDS,
# each tool (or "run") that has to fail, and what is then printed.
# Without DIR the runtime's own kernels are all there is; they are run in any case.  ARCH chooses the architecture (default:
# the GPU's), NVCC the compiler, JOBS how many are built at a time, RUNS how many run at a time (default: 6, with --time 1).
# Prints a line a program, the output of those that failed, and exits with 0 when all is well.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
runtime=$root/runtime
times= tools="memcheck racecheck initcheck synccheck" from=
for argument; do
    case $argument in
    --time) times=1 ;;
    --no-sanitizer) tools= ;;
    -*) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    *) from=$argument ;;
    esac
done
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || { echo "run.sh: no nvcc" >&2; exit 2; }
sanitizer=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
[ -x "$sanitizer" ] || { [ -z "$tools" ] || echo "run.sh: no compute-sanitizer: its columns are left out"; tools=; }
arch=${ARCH:-sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/runtime_cases"
cp "$root/tests/unit/runtime/cases.cu" "$work/runtime_cases/"
cp "$root/tests/unit/runtime/harness.cpp" "$work/runtime_cases/main.cpp"
if [ "${arch#sm_}" \> 89 ] || [ "${#arch}" -gt 5 ]; then
    mkdir "$work/runtime_tma"
    cp "$root"/tests/unit/{check.h,runtime/tma.cu} "$work/runtime_tma/"
    { echo '#define TCP_TEST_GPU'; cat "$root/tests/unit/runtime/tma.cpp"; } >"$work/runtime_tma/main.cpp"
    touch "$work/runtime_tma/sanitize"
fi
[ -z "$from" ] || cp -r "$from"/. "$work/"
for archive in "$work"/*.tar.xz; do
    [ ! -e "$archive" ] || tar xJf "$archive" -C "$work" || exit 1
done

common="-std=c++17 -O2 -arch=$arch -lineinfo -I $runtime"
"$nvcc" $common -Werror all-warnings -c "$runtime/tcp_cuda.cu" -o "$work/tcp_cuda.o" &&
    "$nvcc" $common -c "$runtime/tcp_harness.cpp" -o "$work/tcp_harness.o" || exit 1

export LD_LIBRARY_PATH=$(dirname "$nvcc")/../lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}  # NVRTC's, for the program that uses it
build() {  # one program: FOLDER/program, what the compiler said in FOLDER/build.log
    [ ! -e "$1/program" ] || return 0
    "$nvcc" $common -Werror all-warnings "$1"/*.cu "$1"/main.cpp "$work/tcp_harness.o" "$work/tcp_cuda.o" \
        -o "$1/program" >"$1/build.log" 2>&1
}
programs=()
for main in "$work"/*/main.cpp; do programs+=("$(dirname "$main")"); done
jobs=${JOBS:-$(nproc)}
for folder in "${programs[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    build "$folder" &
done
wait

# Some virtual machines lend a GPU that the sanitizer does not take.
if [ -n "$tools" ] && (cd "$work/runtime_cases" && "$sanitizer" ./program --kernel copy_tile 2>&1) | grep -q 'not supported'; then
    echo "run.sh: compute-sanitizer does not take this device: its columns are left out"
    tools=
fi

disassemble=$(command -v cuobjdump || echo "$(dirname "$nvcc")/cuobjdump")
[ -x "$disassemble" ] || { echo "run.sh: no cuobjdump: SASS is not looked at"; disassemble=; }

# Prints the accesses of KERNEL in the SASS of ./program, one after the other, repeats and the kinds of caching left out.
accesses() {
    "$disassemble" -sass program | awk -v kernel="$1_kernel" '
        /Function :/ { inside = index($0, kernel) > 0 }
        inside && match($0, /(LDG|STG|LDS|STS|LDL|STL)[A-Z0-9.]*/) {
            op = substr($0, RSTART, RLENGTH)
            sub(/\.CONSTANT$/, "", op)
            if (op != last) printf "%s%s", (last ? " " : ""), op
            last = op
        }'
}

line() {  # a row of the table: the name in 32 columns, the rest in 10 each
    printf '%-32s' "$1"
    shift
    printf ' %-10s' "$@"
    printf '\n'
}

# The program is a wrong one, which ended under tool $1 with status $2: "status" is 0 when it failed and said what must-fail
# says of the tool.
judged() {
    local of words
    status="passed?"
    [ "$2" != 0 ] || return
    while read -r of words; do [ "$of" != "$1" ] || grep -qF -- "$words" "$1.log" || return; done <must-fail
    status=0
}

check() {  # one program: its row and what went wrong in FOLDER/report, FOLDER/failed when something did
    cd "$1" || exit 1
    local name row=() bad= status tool tight kernel wanted found
    name=$(basename "$1")
    if [ ! -x program ]; then
        line "$name" "no build"
        sed 's/^/    /' build.log
        touch failed
        return
    fi
    for tool in run $tools; do
        if [ -e must-fail ] && ! grep -q "^$tool " must-fail; then
            row+=(-)
            continue
        elif [ "$tool" = run ]; then
            timeout 120 ./program ${times:+--time} >"$tool.log" 2>&1
            status=$?
        elif [ "$name" = runtime_cases ] || { [ -e sanitize ] && { [ ! -s sanitize ] || grep -qx "$tool" sanitize; }; }; then
            tight=
            [ "$tool" != memcheck ] || [ ! -e tight ] || tight=--no-guards
            timeout 300 "$sanitizer" --tool "$tool" --error-exitcode 9 ./program $tight >"$tool.log" 2>&1
            status=$?
        else
            row+=(-)
            continue
        fi
        [ ! -e must-fail ] || judged "$tool" "$status"
        if [ "$status" = 0 ]; then row+=(ok); else row+=("FAILED:$status") bad="$bad $tool"; fi
    done
    : >sass.log
    while [ -n "$disassemble" ] && [ -e sass ] && read -r kernel wanted; do
        found=$(accesses "$kernel")
        [[ $found =~ ^$wanted$ ]] || echo "SASS of $kernel: $found; wanted: $wanted" >>sass.log
    done < <(cat sass 2>/dev/null)
    if [ -s sass.log ]; then row+=(FAILED) bad="$bad sass"; elif [ -e sass ]; then row+=(ok); else row+=(-); fi
    line "$name" "${row[@]}"
    [ -z "$times" ] || grep -h 'GB/s' run.log | sed 's/^/    /'
    for tool in $bad; do head -40 "$tool.log" | sed 's/^/    /'; done
    [ -z "$bad" ] || touch failed
}
[ -z "$times" ] || RUNS=1
line "program ($arch)" run $tools SASS
for folder in "${programs[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "${RUNS:-6}" ]; do wait -n; done
    check "$folder" >"$folder/report" 2>&1 &
done
wait
failed=0
for folder in "${programs[@]}"; do
    cat "$folder/report"
    [ ! -e "$folder/failed" ] || failed=$((failed + 1))
done
echo "${#programs[@]} programs, $failed failed, $SECONDS s"
[ $failed = 0 ]
