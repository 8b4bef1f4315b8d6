#!/usr/bin/env bash
# Runs prepared programs on a GPU: builds each, runs it, and runs it again under the four tools of compute-sanitizer.
#
# usage: run.sh [--time] [--no-sanitizer] [DIR]
#
# A program is a folder DIR/NAME with emitted files (*.cu), a generated main.cpp and its expected files (*.expect).
# Without DIR the runtime's own kernels are all there is; they are run in any case.  ARCH chooses the architecture (default:
# the GPU's), NVCC the compiler, JOBS how many are built at a time.  Prints a line a program, the output of those that
# failed, and exits with 0 when all is well.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
runtime=$root/runtime
times= tools="memcheck racecheck initcheck synccheck" from=
for argument; do
    case $argument in
    --time) times=1 ;;
    --no-sanitizer) tools= ;;
    -*) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
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
[ -z "$from" ] || cp -r "$from"/. "$work/"

common="-std=c++17 -O2 -arch=$arch -lineinfo -I $runtime"
"$nvcc" $common -Werror all-warnings -c "$runtime/tcp_cuda.cu" -o "$work/tcp_cuda.o" &&
    "$nvcc" $common -c "$runtime/tcp_harness.cpp" -o "$work/tcp_harness.o" || exit 1

build() {  # one program: FOLDER/program, what the compiler said in FOLDER/build.log
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

line() {  # a row of the table: the name in 32 columns, the rest in 10 each
    printf '%-32s' "$1"
    shift
    printf ' %-10s' "$@"
    printf '\n'
}
failed=0
line "program ($arch)" run $tools
for folder in "${programs[@]}"; do
    name=$(basename "$folder") row=() bad=
    cd "$folder" || exit 1
    if [ ! -x program ]; then
        line "$name" "no build"
        sed 's/^/    /' build.log
        failed=$((failed + 1))
        continue
    fi
    for tool in run $tools; do
        if [ "$tool" = run ]; then
            timeout 120 ./program ${times:+--time} >"$tool.log" 2>&1
        else
            timeout 300 "$sanitizer" --tool "$tool" --error-exitcode 9 ./program >"$tool.log" 2>&1
        fi
        status=$?
        if [ $status = 0 ]; then row+=(ok); else row+=("FAILED:$status") bad="$bad $tool"; fi
    done
    line "$name" "${row[@]}"
    [ -z "$times" ] || grep -h 'GB/s' run.log | sed 's/^/    /'
    for tool in $bad; do head -40 "$tool.log" | sed 's/^/    /'; done
    [ -z "$bad" ] || failed=$((failed + 1))
done
echo "${#programs[@]} programs, $failed failed"
[ $failed = 0 ]
