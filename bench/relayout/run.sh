#!/usr/bin/env bash
# Measures all peers in the folder that prepare.sh wrote: relayout_peers.csv, and relayout_peers.md and .svg made of it.  Needs a GPU
# and python3, with PyTorch and Triton for those peers; nvcc alone where the libraries that came along do not load.
#
# usage: run.sh [OPTIONS OF bench.py]
#
# OUT is the folder of the results (default: this one).  First JOBS processes (default: half of the cores) compile what PyTorch and
# Triton need, for SECONDS_TO_COMPILE at most (default: 600): torch.compile is measured for the cases that are ready by then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
out=${OUT:-.} jobs=${JOBS:-$((($(nproc) + 1) / 2))}
python3 -c 'import ctypes; ctypes.CDLL("./librelayout.so"); ctypes.CDLL("./libtcpc.so")' 2>/dev/null || bash build.sh
if [ -e libcutensor.so.2.xz ] && [ ! -e libcutensor.so.2 ]; then xz -dkT0 libcutensor.so.2.xz; fi
export PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH} TCPC_CACHE=$PWD/cache/tcpc
export TORCHINDUCTOR_CACHE_DIR=$PWD/cache/inductor TRITON_CACHE_DIR=$PWD/cache/triton TORCHINDUCTOR_COMPILE_THREADS=1
: >compiled.txt
if python3 -c 'import torch, triton' 2>/dev/null; then
    for ((i = 0; i < jobs; ++i)); do
        timeout "${SECONDS_TO_COMPILE:-600}" python3 bench.py "$@" --compiled compiled.txt --warm "$i/$jobs" &
    done
    wait
fi
status=0
python3 bench.py -o "$out/relayout_peers.csv" --compiled compiled.txt "$@" || status=$?
python3 report.py cases.json "$out"/relayout_peers.{csv,md,svg}
exit $status
