"""Installs into an empty folder, moves that, and uses it: the compiler, the CMake package and pkg-config.

usage: install.py CMAKE BUILD
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAN = ROOT / "examples/parallel_copy/parallel_copy.tcp"
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(tcpc 0.1 REQUIRED CONFIG)
add_library(copies STATIC)
tcpc_add_copy(TARGET copies SOURCES plan.tcp ARCH sm_90)
set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/plan.cu PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++")
target_compile_features(copies PRIVATE cxx_std_17)
"""


def run(*command, **more):
    """Runs 'command' and ends the test when that fails."""
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def main(cmake, build):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        run(cmake, "--install", build, "--prefix", scratch / "first")
        prefix = scratch / "moved"
        (scratch / "first").rename(prefix)
        environment = {name: value for name, value in os.environ.items() if name != "TCPC_RUNTIME"}
        tcpc = prefix / "bin/tcpc"
        shutil.copy(PLAN, scratch / "plan.tcp")
        run(tcpc, "run", "--host", "plan.tcp", cwd=scratch, env=environment)
        if shutil.which("pkg-config"):
            found = next(prefix.rglob("tcpc-runtime.pc")).parent
            flags = run("pkg-config", "--cflags", "tcpc-runtime", env=dict(environment, PKG_CONFIG_PATH=str(found))).split()
            folder = pathlib.Path(flags[0].removeprefix("-I"))
            if not (folder / "tcp_runtime.h").exists():
                sys.exit(f"pkg-config names {folder}, which has no tcp_runtime.h")
        (scratch / "CMakeLists.txt").write_text(PROJECT)
        run(cmake, "-G", "Ninja", "-S", scratch, "-B", scratch / "user", f"-DCMAKE_PREFIX_PATH={prefix}")
        run(cmake, "--build", scratch / "user")
        if not (scratch / "user/libcopies.a").exists():
            sys.exit("the CMake package built no library")
    print("installed, moved and used")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
