#!/usr/bin/env bash
# Random kernels with tma.load and bulk on a GPU: with bytes around each output, with memory of exact size, and that under memcheck.
# Then one kernel with a planted access beyond its memory, three ways: what memcheck says of each is printed.
#
# usage: boxes.sh prepare DIR [COUNT [SEED]]     where tcpc is built (BUILD, default: build)
#        boxes.sh run DIR                        where the GPU is; SECONDS_OF_MEMCHECK (default: 40)
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$2

planted() {  # the plan whose emitted text is changed
    cat <<'PLAN'
tcp 1;
arch sm_90;
tensor A0 : f32 global row(32,64) align 16;
tensor O0 : f32 global row(32,64) align 16;
tiled_copy t0 = tile(universal(128), thr=(8,16), val=(1,4));
kernel k0(A0, out O0) threads 128 {
  shared s : f32 row(32,64);
  copy A0 -> s with WAY;
  copy s -> O0 with t0;
}
PLAN
}

prepare() {
    local build count=${1:-1000} seed=${2:-1} way
    build=$(cd "${BUILD:-$root/build}" && pwd) || exit 1
    rm -rf "$dir"
    mkdir -p "$dir"
    python3 "$root/tests/random/tma.py" "$build/bin/tcpc" "$root/runtime" "$dir" --count "$count" --each 25 --seed "$seed" --write || exit 1
    for way in right bulk map store; do
        mkdir "$dir/planted_$way"
        planted | sed "s/WAY/$([ $way = bulk ] && echo bulk || echo tma.load)/" >"$dir/planted_$way/plan.tcp"
        "$build/bin/tcpc" -w --no-line "$dir/planted_$way/plan.tcp" -o "$dir/planted_$way/plan.cu" || exit 1
        python3 - "$root/tests/random" "$dir/planted_$way" <<'PY'
import pathlib, sys
sys.path.append(sys.argv[1])
import tma
text = tma.MAIN + tma.COMPARE + "typedef void tcp_any;\nTCP_EXTERN_C tcp_status k0_launch(const tcp_any *, tcp_any *, tcp_stream);\n"
text += """int main() {
    memory a = take(8192, 1u), o = take(8192, 2u);
    must(k0_launch((const tcp_any *)a.at, (tcp_any *)o.at, nullptr), "k0");
    compare<2>("k0", a, o, 4, {32, 64}, {0, 0}, {32, 64}, {64, 1});
    return failed;
}
"""
pathlib.Path(sys.argv[2], "main.cpp").write_text(text)
PY
    done
    # 16 bytes behind A; a row behind A, which the map has; 16 bytes behind O
    sed -i 's/(s, A0);/(s, A0 + 4);/' "$dir/planted_bulk/plan.cu"
    sed -i 's/{64, 32}, {4, 256}/{64, 33}, {4, 256}/; s/\(load_box<8192>(s, map_A0, 0, \)0)/\11)/' "$dir/planted_map/plan.cu"
    sed -i 's/\(tcp_st_global_128(&O0\[\)/\14 + /' "$dir/planted_store/plan.cu"
    for way in bulk map store; do
        ! cmp -s <(sed 1d "$dir/planted_$way/plan.cu") <(cd "$dir/planted_$way" && "$build/bin/tcpc" -w --no-line plan.tcp -o - | sed 1d) ||
            { echo "nothing was planted for $way" >&2; exit 1; }
    done
    mkdir "$dir/runtime"
    cp "$root"/runtime/tcp_* "$dir/runtime/"
    cp "${BASH_SOURCE[0]}" "$dir/boxes.sh"
}

run() {
    cd "$dir" || exit 1
    local nvcc jobs folder failed said way
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    jobs=$(nproc)
    local flags="-std=c++17 -O1 -arch=sm_90 -I runtime"
    local sanitizer
    sanitizer=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    "$nvcc" $flags -c runtime/tcp_cuda.cu -o tcp_cuda.o && "$nvcc" $flags -c runtime/tcp_harness.cpp -o tcp_harness.o || exit 1
    for folder in */main.cpp; do dirname "$folder"; done >folders
    xargs -a folders -P "$jobs" -I{} sh -c "$nvcc $flags -w {}/plan.cu {}/main.cpp tcp_cuda.o tcp_harness.o -o {}/program >{}/build.log 2>&1 || echo {}: no build"
    echo "built $(wc -l <folders) programs in $SECONDS s"
    for way in guard exact; do
        ls -d tma_* | xargs -P 6 -I{} sh -c "timeout 60 ./{}/program $way >{}/$way.log 2>&1 || echo {}: \$? >>{}/$way.log"
        echo "$way: $(cat tma_*/$way.log | awk '/ kernels, 0 failed/ { n += $1 } END { print n + 0 }') kernels right"
    done
    failed=$(cat tma_*/{guard,exact}.log | grep -vc ' kernels, 0 failed$')
    cat tma_*/{guard,exact}.log | grep -v ' kernels, 0 failed$' | head -20
    echo "$SECONDS s; lines about others: $failed"
    export sanitizer
    : >memcheck.log
    ls -d tma_* | timeout "${SECONDS_OF_MEMCHECK:-40}" xargs -P 6 -I{} sh -c \
        '"$sanitizer" --tool memcheck --error-exitcode 9 ./{}/program exact >{}/memcheck.log 2>&1; echo "{} $?" >>memcheck.log'
    echo "memcheck on memory of exact size: $(wc -l <memcheck.log) programs, $(grep -vc ' 0$' memcheck.log) with reports"
    grep -v ' 0$' memcheck.log | head -5 | while read -r folder n; do grep -m3 -A3 '=========.*\(Invalid\|error\|wrong\)' "$folder/memcheck.log"; done
    for way in right bulk map store; do
        said=$("$sanitizer" --tool memcheck --error-exitcode 9 "./planted_$way/program" 2>&1)
        echo "planted, $way: memcheck ends with $?: $(grep -m1 -o 'Invalid.*\|ERROR SUMMARY.*' <<<"$said") $(grep -o '[0-9]* of [0-9]* elements wrong' <<<"$said")"
    done
    echo "$SECONDS s"
    return $((failed != 0))
}

case ${1:-} in
prepare) prepare "${@:3}" ;;
run) run ;;
*) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
