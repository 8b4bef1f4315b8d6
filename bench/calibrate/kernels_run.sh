#!/usr/bin/env bash
# Builds what kernels_prepare.sh wrote, counts each launch by Nsight Compute, and prints model against counter.
#
# usage: kernels_run.sh DIR OUT     on a machine with a GPU; RUNTIME is the runtime's folder (default: ../../runtime)
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$1 out=$2 runtime=${RUNTIME:-$here/../../runtime} arch=${ARCH:-sm_90a}
mkdir -p "$out"
flags="-std=c++17 -O2 -arch=$arch -I $runtime"
nvcc $flags -c "$runtime/tcp_cuda.cu" -o "$out/tcp_cuda.o" && nvcc $flags -c "$runtime/tcp_harness.cpp" -o "$out/tcp_harness.o" || exit 1
for main in "$dir"/*/main.cpp; do
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
    f=$(dirname "$main")
    nvcc $flags "$f"/*.cu "$main" "$out/tcp_harness.o" "$out/tcp_cuda.o" -o "$f/program" >"$f/build.log" 2>&1 &
done
wait
metrics=$(python3 "$here/table.py" --metrics)
for main in "$dir"/*/main.cpp; do
    f=$(dirname "$main")
    [ -x "$f/program" ] || { echo "$f does not build"; head -3 "$f/build.log"; continue; }
    (cd "$f" && timeout "${LIMIT:-120}" ncu -k 'regex:_kernel' --clock-control none --cache-control none --csv --page raw --print-units base --metrics "$metrics" \
        ./program --time 1 --no-check >ncu.csv 2>ncu.log)
done
python3 "$here/kernels_table.py" "$dir"/*/ >"$out/kernels.tsv"
tail -n 40 "$out/kernels.tsv"
