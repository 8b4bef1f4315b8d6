#!/usr/bin/env bash
# Brings cuTENSOR from PyPI into the build folder, once: its headers and its library, cut to one architecture and packed (35 MB).
# Prints the folder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
version=2.8.1 arch=${ARCH:-sm_90} to=${BUILD:-build}/cutensor
if [ ! -e "$to/libcutensor.so.2.xz" ]; then
    rm -rf "$to"
    mkdir -p "$to"
    python3 -m pip install --quiet --no-deps --target "$to/whole" "cutensor-cu13==$version" >&2
    python3 "$here/thin.py" "$to/whole/cutensor/lib/libcutensor.so.2" "$to/libcutensor.so.2" "${arch#sm_}" >&2
    cp -r "$to/whole/cutensor/include" "$to/include"
    rm -r "$to/whole"
    xz -T0 "$to/libcutensor.so.2"
fi
cd "$to"
pwd
