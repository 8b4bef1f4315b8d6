#!/usr/bin/env bash
# Brings CUTLASS's headers from PyPI into the build folder, once, and prints the folder to include; for the benchmarks alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
to=${BUILD:-build}/cutlass
if [ ! -e "$to/cutlass_library/source/include/cute/tensor.hpp" ]; then
    mkdir -p "$to"
    python3 -m pip install --quiet --no-deps --target "$to" nvidia-cutlass==4.2.0.0 >&2
fi
cd "$to/cutlass_library/source/include"
pwd
