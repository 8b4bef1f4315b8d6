#!/usr/bin/env bash
# Writes the programs that run.sh builds and runs on a GPU, on a machine that has tcpc: one folder a plan of examples/ and
# tests/plans/, and some with random plans.  Nothing but nvcc, bash, awk and xz is needed to run them.
#
# usage: prepare.sh [DIR]        default: build-gpu, which git ignores
#
# BUILD is the build folder of tcpc (default: build), KERNELS how many random kernels there are (default: 200), SEED the
# first of their seeds (default: 1), RELAYOUTS how many random relayouts (default: 500), COPIES how many random planned copies
# (default: 500), JOBS how many are prepared at a time.
# The random ones, 25 kernels or copies or 37 relayouts a program, go into one archive, which run.sh unpacks: what is expected of
# most of them are numbers of elements, of which the differences pack well.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${BUILD:-build} out=${1:-build-gpu} kernels=${KERNELS:-200} seed=${SEED:-1}
rm -rf "$out"
mkdir -p "$out"

write() {  # NAME PLAN: the folder NAME
    "$build/bin/tcpc" run -w --write "$out/$1" "$2" 2>"$out/log" || { cat "$out/log" >&2; exit 1; }
}
for plan in examples/*/*.tcp; do
    grep -q '^kernel' "$plan" || continue
    # these have mains of their own, or several devices
    case $(basename "$plan" .tcp) in attention_loads | flash_attention | heads) continue ;; esac
    write "$(basename "$plan" .tcp)" "$plan"
    touch "$out/$(basename "$plan" .tcp)/sanitize"
done
for plan in tests/plans/*.tcp; do write "plan_$(basename "$plan" .tcp)" "$plan"; done
write planned tests/relayout/planned.tcp
touch "$out/planned/sanitize"
for name in matrices bytes_1 bytes_16 runtime_rows runtime_loop through_registers partitioned tile_128x128 threads_1024; do
    touch "$out/plan_$name/sanitize"
done
python3 tests/run/Inputs/conversions.py >"$out/conversions.tcp"  # each element type becomes each other one
write conversions "$out/conversions.tcp"
rm "$out/conversions.tcp"
mkdir "$out/embed"  # a kernel written by hand, with its own main
cp examples/embed/row_sums.cu "$out/embed/"
"$build/bin/tcpc" examples/embed/loader.tcp --emit=header -o "$out/embed/loader.cuh"
echo "// row_sums.cu has its own" >"$out/embed/main.cpp"
touch "$out/embed/sanitize"
for d in 64 128; do  # what it computes is compared by a main of its own
    mkdir "$out/attention_loads_$d"
    cp examples/attention_loads/fold.cuh "$out/attention_loads_$d/"
    { echo "#define D $d"; cat examples/attention_loads/check.cu; } >"$out/attention_loads_$d/check.cu"
    "$build/bin/tcpc" -w -D D=$d examples/attention_loads/attention_loads.tcp -o "$out/attention_loads_$d/plan.cu"
    sed -i "1i #define D $d" "$out/attention_loads_$d/plan.cu"
    echo "// check.cu has its own" >"$out/attention_loads_$d/main.cpp"
    touch "$out/attention_loads_$d/sanitize"
    mkdir "$out/flash_attention_$d"
    cp examples/flash_attention/*.cuh "$out/flash_attention_$d/"
    { echo "#define D $d"; cat examples/flash_attention/check.cu; } >"$out/flash_attention_$d/check.cu"
    "$build/bin/tcpc" -w -D D=$d examples/flash_attention/flash_attention.tcp -o "$out/flash_attention_$d/plan.cu"
    echo "// check.cu has its own" >"$out/flash_attention_$d/main.cpp"
    touch "$out/flash_attention_$d/sanitize"
done
mkdir "$out/zfill_every"  # rows of every length, in memory that ends with the last element
cp tests/async/Inputs/zfill_every.cu "$out/zfill_every/"
"$build/bin/tcpc" -w tests/async/zfill-cut.tcp -o "$out/zfill_every/plan.cu"
echo "// zfill_every.cu has its own" >"$out/zfill_every/main.cpp"
touch "$out/zfill_every/sanitize"
mkdir "$out/nvrtc"  # the library, NVRTC and the driver: a program that needs no tcpc there
cc -O1 -no-pie tests/lib/nvrtc.c -Icompiler/lib -Icompiler/launch "$build/compiler/libtcpc.a" -Wl,-Bstatic -lisl -lgmp -Wl,-Bdynamic \
    -lm -ldl -s -o "$out/nvrtc/built"
echo "// built already" >"$out/nvrtc/main.cpp"
printf '#!/bin/sh\nexec ./built\n' >"$out/nvrtc/program"
chmod +x "$out/nvrtc/program"
mkdir "$out/large"  # 5 billion bytes, with a main that looks at them on the device
cp tests/gpu/large/{check.cu,main.cpp} "$out/large/"
"$build/bin/tcpc" -w tests/gpu/large/large.tcp -o "$out/large/large.cu"
run_of() {  # PREFIX PLAN..: the folders PREFIX_PLAN, with what the plans include
    local prefix=$1 plan name include
    shift
    for plan in "$@"; do
        name=${prefix}_$(basename "$plan" .tcp)
        write "$name" "$plan"
        touch "$out/$name/sanitize"
        for include in $(sed -n 's/.* from "\(Inputs\/[^"]*\)".*/\1/p' "$plan"); do
            install -D -m 644 "$(dirname "$plan")/$include" "$out/$name/$include"
        done
    done
}
shopt -s nullglob
run_of run tests/run/convert*.tcp tests/run/{variants,map,map-no-layout,map-turned,names,names-kept,names-of-layouts,extern,carried,parts,fill,pad,tails}.tcp
run_of run tests/run/{tails-nested,tails-of-maps,several,by-warp,empty-tensor}.tcp tests/emit/variant_edges.tcp
run_of run tests/run/{between-fragments,carried-quotient,convert-exact,projection,swizzle-offset,ragged-transpose}.tcp
run_of run tests/run/{halos,device-calls,kernel-index,extern-writes,warp_edges,kept,sums,empty}.tcp tests/emit/named.tcp
run_of ranges tests/sema/{ranges,ranges-moving}.tcp
run_of pass tests/pass/partitions.tcp tests/pass/pipeline/{schedule,loops,steps}.tcp tests/pass/sync/tiles.tcp
run_of cover tests/pass/cover/loops.tcp
run_of async tests/async/{first,groups,manual,manual-stages,edges,zfill,zfill-cut}.tcp
for seed_of_sync in 1 2 3 4; do  # order alone: loops and pipelines of asynchronous copies
    "$build/bin/random_sync" --print $seed_of_sync --kernels 50 >"$out/sync.tcp"
    write "sync_$seed_of_sync" "$out/sync.tcp"
    touch "$out/sync_$seed_of_sync/sanitize"
done
rm "$out/sync.tcp"
python3 tests/random/roles.py "$build/bin/tcpc" --count 100 --each 10 --seed "$seed" --write "$out" >"$out/log" || { cat "$out/log" >&2; exit 1; }
python3 tests/random/roles.py "$build/bin/tcpc" --count 100 --each 10 --seed "$seed" --memory --write "$out" >"$out/log" || { cat "$out/log" >&2; exit 1; }
for folder in "$out"/roles_* "$out"/memory_*; do printf '%s\n' memcheck initcheck synccheck >"$folder/sanitize"; done
# some 90 manual kernels with roles
python3 tests/random/manual_roles.py "$build/bin/tcpc" --count 200 --seed "$seed" --write "$out/manual_roles.tcp" >"$out/log" || { cat "$out/log" >&2; exit 1; }
"$build/bin/tcpc" run -w --param N=23 --write "$out/manual_roles" "$out/manual_roles.tcp" 2>"$out/log" || { cat "$out/log" >&2; exit 1; }
rm "$out/manual_roles.tcp"
printf '%s\n' memcheck initcheck synccheck >"$out/manual_roles/sanitize"
for form in places places_aligned; do  # why barriers at which several roles wait are not ".aligned"
    mkdir "$out/$form"
    { [ $form = places ] || echo "#define ALIGNED"; cat tests/gpu/places.cu; } >"$out/$form/places.cu"
    echo "// places.cu has its own" >"$out/$form/main.cpp"
    printf '%s\n' memcheck initcheck synccheck >"$out/$form/sanitize"
done
echo "synccheck Divergent thread(s) in block" >"$out/places_aligned/must-fail"
mkdir "$out/named"  # why racecheck is left out there: it sees races in this right program
cp tests/gpu/named.cu "$out/named/"
echo "// named.cu has its own" >"$out/named/main.cpp"
touch "$out/named/sanitize"
echo "racecheck hazards displayed" >"$out/named/must-fail"
n=0
for sizes in "M=24 N=40 C=8" "M=66 N=34 C=9" "M=67 N=131 C=1" "M=64 N=33 C=3" "M=33 N=264 C=4"; do  # each case of a planned copy of params
    n=$((n + 1))
    "$build/bin/tcpc" run -w $(printf -- '--param %s ' $sizes) --write "$out/cases_$n" tests/relayout/cases.tcp 2>"$out/log" || { cat "$out/log" >&2; exit 1; }
    touch "$out/cases_$n/sanitize"
done
each=25 programs=0
random() {  # SEED
    "$build/bin/gen_plans" "$1" $each >"$out/random/$1.tcp"
    "$build/bin/tcpc" run -w --write "$out/random/random_$1" "$out/random/$1.tcp" || { echo "random plan $1" >&2; return 1; }
    rm "$out/random/$1.tcp"
}
mkdir "$out/random"
for ((i = 0; i * each < kernels; ++i)); do
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
    random $((seed + i)) &
    programs=$((programs + 1))
done
wait
[ "$(find "$out/random" -name main.cpp | wc -l)" = $programs ] || { echo "some random plans were not written" >&2; exit 1; }
for ((i = 0; i * each < kernels; i += 16)); do touch "$out/random/random_$((seed + i))/sanitize"; done
python3 tests/gpu/random_relayouts.py "$build/bin/tcpc" "$out/random" --count "${RELAYOUTS:-500}" --seed "$seed" --jobs "${JOBS:-$(nproc)}"
python3 tests/gpu/random_copies.py "$build/bin/tcpc" "$out/random" --count "${COPIES:-500}" --seed "$seed" --jobs "${JOBS:-$(nproc)}"
programs=$(find "$out/random" -name main.cpp | wc -l)
tar cf - -C "$out/random" . | xz --delta=dist=8 --lzma2=preset=1 >"$out/random.tar.xz"
rm -rf "$out/random" "$out/log"

# The accesses of a kernel in SASS, repeats and the kinds of caching left out: all loads of a batch, then its stores.  Where
# the tile is one batch, a thread reads back what it wrote; nvcc may keep that in registers, and may put some of the stores to
# shared memory behind those to global memory.
for name in parallel_copy parallel_copy_atoms; do echo "parallel_copy LDG.E.128 STS.128 STG.E.128" >"$out/$name/sass"; done
for name in val_8 atoms_2 row_major tile_32x8; do echo "round_trip LDG.E.128 STS.128( LDS.128 STS.128)* STG.E.128( STS.128)?" >"$out/plan_$name/sass"; done
echo "round_trip (LDG.E.128 STS.128 )+LDS.128 STG.E.128( LDS.128 STG.E.128)*" >"$out/plan_tile_128x128/sass"
echo "$(($(find "$out" -name main.cpp | wc -l) + programs)) programs in $out, $(du -sm "$out" | cut -f1) MiB"
