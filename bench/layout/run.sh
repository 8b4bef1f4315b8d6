#!/bin/sh
# Runs the composition benchmark beside pycute: bench/layout/run.sh [SECONDS], after ./dev build.
# pycute comes from PyPI (nvidia-cutlass) into a virtual environment in build/.
set -e
cd "$(dirname "$0")/../.."
cmake --build build --target bench_layout >/dev/null
if [ ! -x build/pycute/bin/python ]; then
    python3 -m venv build/pycute
    build/pycute/bin/pip install --quiet --no-deps nvidia-cutlass==4.2.0.0
fi
build/bin/bench_layout "${1:-2}" build/compose_pairs.txt
build/pycute/bin/python bench/layout/pycute_compose.py build/compose_pairs.txt "${1:-2}"
