#!/usr/bin/env python3
"""Compares what a build of the library for WebAssembly says of plans with what a native one says: texts, statuses, messages.

usage: wasm.py NATIVE WASM [--generator GEN_PLANS] [--seeds N] [--one-of N]

NATIVE and WASM are tests/lib/each.c with each library. The plans are those of examples/, bench/ and tests/ and of the documents, and
N of 100 random kernels; with --one-of a part of all that. Needs the package wasmtime. Prints the first lines that differ of each plan that differs.
"""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import wasmtime

sys.dont_write_bytecode = True
from sampled import drawn  # noqa: E402
from same_output import PLANS, ROOT, documents, random_plans  # noqa: E402

LINES = 12  # that are shown of a plan


def run_wasm(module, listed, out):
    config = wasmtime.WasiConfig()
    config.argv = ["each"]
    config.stdin_file, config.stdout_file = str(listed), str(out)
    config.inherit_stderr()
    # The current folder of such a program is "/".
    config.preopen_dir(str(ROOT), "/")
    config.preopen_dir(str(pathlib.Path(listed).parent), str(pathlib.Path(listed).parent))
    engine = wasmtime.Engine()
    linker, store = wasmtime.Linker(engine), wasmtime.Store(engine)
    linker.define_wasi()
    store.set_wasi(config)
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, str(module)))
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as ended:
        if ended.code:
            sys.exit(f"the program for WebAssembly ended with {ended.code}")


def by_plan(text):
    parts = re.split(rb"(?m)^== (.*)\n", text)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    arguments.add_argument("native", type=pathlib.Path)
    arguments.add_argument("wasm", type=pathlib.Path)
    arguments.add_argument("--generator")
    arguments.add_argument("--seeds", type=int, default=0)
    arguments.add_argument("--one-of")
    a = arguments.parse_args()
    native, wasm = a.native.resolve(), a.wasm.resolve()
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        plans = [*PLANS, *documents(folder), *random_plans(folder, a, spoil=True)]
        plans, told = drawn(plans, a.one_of)
        (folder / "list").write_text("".join(f"{plan}\n" for plan in plans))
        with open(folder / "list") as listed, open(folder / "native", "wb") as out:
            subprocess.run([native], stdin=listed, stdout=out, check=True)
        run_wasm(wasm, folder / "list", folder / "wasm")
        one, other = (by_plan((folder / name).read_bytes()) for name in ("native", "wasm"))
    differ = [name for name in one if one[name] != other.get(name)]
    for name in differ:
        lines = (text.decode(errors="replace").splitlines() for text in (one[name], other.get(name, b"")))
        print(f"{name.decode()}:", *list(difflib.unified_diff(*lines, "native", "wasm", n=1, lineterm=""))[:LINES], sep="\n")
    print(f"{len(one)} plans, {sum(map(len, one.values()))} bytes, {len(differ)} plans differ{told}")
    sys.exit(1 if differ or len(one) != len(plans) else 0)


if __name__ == "__main__":
    main()
