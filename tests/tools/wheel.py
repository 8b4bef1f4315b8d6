#!/usr/bin/env python3
"""Tries the wheel that `./dev wheel` built: what is in it, what it needs, and what it does in a clean environment.

usage: wheel.py FOLDER

FOLDER has wheel/*.whl and dist/*.tar.gz. The tools readelf and g++ are needed, mypy, and PyPI for numpy.
"""
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 6_000_000
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"}
HOLDS = [r"tcpc/bin/tcpc", r"tcpc/lib/libtcpc.so", r"tcpc/lib/libtcpc_core.so", r"tcpc/include/tcpc/tcpc.h", r"tcpc/include/tcpc/tcp_device.cuh",
         r"tcpc/include/tcpc/host/tcp_host_run.cpp", r"tcpc/__init__.py", r"tcpc/__main__.py", r"tcpc/py.typed", r"tcpc-[\d.]+.dist-info/licenses/LICENSE",
         r"tcpc-[\d.]+.dist-info/licenses/python/licenses/imath.txt", r"tcpc-[\d.]+.dist-info/licenses/python/licenses/isl.txt"]
LOAD = "import tcpc; print(tcpc.version())"
USER = """import numpy as np
import tcpc

x = np.arange(2 * 10 * 24, dtype=np.float16).reshape(2, 10, 24)
y = tcpc.relayout(x, "b s (h d) -> b h s d", h=4, backend="host")
assert np.array_equal(y, x.reshape(2, 10, 4, 6).transpose(0, 2, 1, 3))
info: tcpc.CacheInfo = tcpc.cache_info()
print(info.kernels[-1].explain().kernels[0].name, tcpc.Layout((4, 8), (8, 1)).size + 1)
"""


def check(true, text):
    if not true:
        sys.exit(f"wheel.py: {text}")


def run(*words, **more):
    made = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300, **more)
    check(made.returncode == 0, f"{' '.join(map(str, words))} ended with {made.returncode}:\n{made.stdout}{made.stderr}")
    return made.stdout


def check_files(wheel, source, scratch):
    check(re.fullmatch(r"tcpc-[\d.]+-py3-none-manylinux(2014|_2_17)_x86_64(\.manylinux(2014|_2_17)_x86_64)?\.whl", wheel.name), f"the name is {wheel.name}")
    check(wheel.stat().st_size < MOST_BYTES, f"the wheel has {wheel.stat().st_size} bytes, over {MOST_BYTES}")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(scratch)
    for wanted in HOLDS:
        check(any(re.fullmatch(wanted, name) for name in names), f"the wheel lacks {wanted}")
    with tarfile.open(source) as archive:
        names = [name.split("/", 1)[-1] for name in archive.getnames()]
    for wanted in (r"grammar/made/tcp\.tab\.c", r"grammar/made/tcp\.lex\.c", r"third_party/islpy-[\d.]+\.tar\.gz"):
        check(any(re.fullmatch(wanted, name) for name in names), f"the source distribution lacks {wanted}")


def check_objects(scratch):
    for path in ("tcpc/bin/tcpc", "tcpc/lib/libtcpc.so", "tcpc/lib/libtcpc_core.so"):
        dynamic = run("readelf", "-dW", scratch / path)
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", dynamic))
        check(needed <= SYSTEM, f"{path} needs {sorted(needed - SYSTEM)}")
        check("RPATH" not in dynamic and "RUNPATH" not in dynamic, f"{path} names a folder of libraries")
    seen = {line.split()[-1].split("@")[0] for line in run("readelf", "--dyn-syms", "-W", scratch / "tcpc/lib/libtcpc.so").splitlines()
            if re.search(r"(GLOBAL|WEAK) +DEFAULT +(\d+|ABS) ", line)}
    strange = {name for name in seen if not name.startswith(("tcpc_", "TCPC_"))}
    check(seen and not strange, f"libtcpc.so shows {sorted(strange)}")


def check_use(wheel, scratch):
    """Installs the wheel alone."""
    venv.create(scratch / "clean", with_pip=True)
    there = scratch / "clean" / "bin"
    run(there / "pip", "install", "--no-index", "--no-deps", wheel)
    version = run(there / "python", "-c", LOAD, cwd=scratch).strip()
    check(version in run(there / "tcpc", "--version", cwd=scratch), "program and library differ in version")
    plan = ROOT / "examples/parallel_copy/parallel_copy.tcp"
    check("parallel_copy: ok" in run(there / "tcpc", "run", "--host", plan, cwd=scratch), "a kernel was not run on the host")
    check("align" in run(there / "python", "-m", "tcpc", "--explain=aligned", cwd=scratch), "there are no pages")
    emitted = run(there / "tcpc", plan.name, "--no-line", "-o", "-", cwd=plan.parent)
    check(emitted == (plan.parent / "expected" / "parallel_copy.cu").read_text(), "what is emitted is not what is expected")


def check_package(scratch):
    """A program that uses the package, and its types."""
    there, program = scratch / "clean" / "bin", scratch / "user.py"
    run(there / "pip", "install", "-q", *(line for line in (ROOT / "tests/requirements.txt").read_text().split() if line.startswith("numpy")))
    program.write_text(USER)
    said = run(there / "python", program, cwd=scratch, env={"PATH": os.environ["PATH"], "TCPC_CACHE": str(scratch / "cache")})
    check(re.fullmatch(r"relayout_[0-9a-f]{10} 33\n", said), f"a program that uses the package says {said}")
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    program.write_text(blocks[0])
    said = run(there / "python", program, cwd=scratch, env={"PATH": os.environ["PATH"], "TCPC_CACHE": str(scratch / "cache")})
    check("kernel relayout_" in said, f"the README's first block says {said}")
    program.write_text(USER)
    mypy = sys.executable, "-m", "mypy", "--cache-dir", scratch / "mypy", "--python-executable", there / "python"
    run(*mypy, "--strict", program, cwd=scratch)
    run(*mypy, "python/tcpc", cwd=ROOT)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    (wheel,), (source,) = folder.glob("wheel/*.whl"), folder.glob("dist/*.tar.gz")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "held").mkdir()
        check_files(wheel, source, scratch / "held")
        check_objects(scratch / "held")
        check_use(wheel, scratch)
        check_package(scratch)
    print(f"{wheel.name}: {wheel.stat().st_size} bytes, tried")


if __name__ == "__main__":
    main()
