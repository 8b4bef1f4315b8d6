"""Installs into an empty folder, moves that, and uses it: the compiler, the library, the CMake package and pkg-config.

usage: install.py CMAKE BUILD
"""

import importlib.util
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
project(user LANGUAGES C CXX)
find_package(tcpc REQUIRED CONFIG)
add_executable(app main.cpp)
tcp_add_plan(app "plans/parallel copy.tcp" ARCH sm_90)
tcp_add_plan(app loader.tcp HEADER)
add_executable(own row_sums.cu)
tcp_add_plan(own loader.tcp HEADER)
foreach(kind libtcpc libtcpc_static)
  add_executable(with_${kind} example.c)
  target_link_libraries(with_${kind} PRIVATE tcpc::${kind})
endforeach()
"""
MAIN = """
#include "loader.cuh"
#include "tcp_runtime.h"
#include "parallel copy.h"
int main() {
    void *a, *b;
    float x[128], y[128] = {0};
    for (int i = 0; i < 128; ++i) x[i] = (float)i;
    if (tcp_alloc(&a, sizeof x) || tcp_alloc(&b, sizeof x) || tcp_upload(a, x, sizeof x, 0)) return 2;
    if (parallel_copy_launch((const float *)a, (float *)b, 0) || tcp_download(y, b, sizeof y, 0)) return 3;
    for (int i = 0; i < 128; ++i) if (x[i] != y[i]) return 4;
    return load_tile_THREADS == 128 ? 0 : 5;
}
"""


def run(*command, **more):
    """Runs 'command' and ends the test when that fails."""
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def installed_links(folder):
    """What is wrong with the links of the documents in 'folder'."""
    loader = importlib.util.spec_from_file_location("documents", ROOT / "tests/tools/site.py")  # "site" is a module of Python
    documents = importlib.util.module_from_spec(loader)
    loader.loader.exec_module(documents)
    problems = []
    documents.reached(problems, folder)
    return problems


def main(cmake, build):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        run(cmake, "--install", build, "--prefix", scratch / "first")
        prefix = scratch / "moved"
        (scratch / "first").rename(prefix)
        broken = installed_links(next(prefix.rglob("library.md")).parents[1])
        if broken:
            sys.exit("the installed documents:\n" + "\n".join(broken))
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
            flags = run("pkg-config", "--cflags", "--libs", "tcpc", env=dict(environment, PKG_CONFIG_PATH=str(found))).split()
            run("cc", ROOT / "tests/lib/example.c", "-o", scratch / "example", *flags)
        (scratch / "CMakeLists.txt").write_text(PROJECT)
        (scratch / "main.cpp").write_text(MAIN)
        (scratch / "plans").mkdir()
        # the plan imports its tensors: a change there makes the code anew
        text = PLAN.read_text()
        head, kernel = text[: text.index("kernel ")], text[text.index("kernel ") :]
        (scratch / "plans/tensors.tcp").write_text(head)
        (scratch / "plans/parallel copy.tcp").write_text('tcp 1;\nimport "tensors.tcp";\n' + kernel)
        shutil.copy(ROOT / "examples/embed/loader.tcp", scratch)
        shutil.copy(ROOT / "examples/embed/row_sums.cu", scratch)
        shutil.copy(ROOT / "tests/lib/example.c", scratch)
        run(cmake, "-G", "Ninja", "-S", scratch, "-B", scratch / "user", f"-DCMAKE_PREFIX_PATH={prefix}")
        run(cmake, "--build", scratch / "user")
        run(scratch / "user/app")
        run(scratch / "user/own")
        for kind in ("libtcpc", "libtcpc_static"):
            if "launched by copy_all_launch" not in run(scratch / f"user/with_{kind}"):
                sys.exit(f"a program with tcpc::{kind} does not compile its plan")
        if "no work to do" not in run(cmake, "--build", scratch / "user"):
            sys.exit("a second build of the outside project does something")
        (scratch / "plans/tensors.tcp").write_text(head + "const ANOTHER = 1;\n")
        if "Compiling the plan" not in run(cmake, "--build", scratch / "user"):
            sys.exit("a change in an imported plan builds nothing")
        # what a plan becomes is no C
        (scratch / "c").mkdir()
        (scratch / "c/CMakeLists.txt").write_text(PROJECT.replace("LANGUAGES C CXX", "LANGUAGES C").split("add_executable(app")[0] +
                                                  "add_executable(app main.c)\ntcp_add_plan(app plan.tcp)\n")
        (scratch / "c/main.c").write_text("int main(void) { return 0; }\n")
        shutil.copy(PLAN, scratch / "c/plan.tcp")
        refused = subprocess.run([cmake, "-G", "Ninja", "-S", scratch / "c", "-B", scratch / "c/build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                                 capture_output=True, text=True)
        if refused.returncode == 0 or "has to be a language of the project" not in " ".join(refused.stderr.split()):
            sys.exit(f"a project of C alone is not refused in words:\n{refused.stderr}")
        # a plan that is not there is told when configuring
        (scratch / "c/CMakeLists.txt").write_text((scratch / "c/CMakeLists.txt").read_text().replace("LANGUAGES C", "LANGUAGES C CXX")
                                                  .replace("plan.tcp", "plam.tcp"))
        shutil.rmtree(scratch / "c/build")
        refused = subprocess.run([cmake, "-G", "Ninja", "-S", scratch / "c", "-B", scratch / "c/build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                                 capture_output=True, text=True)
        if refused.returncode == 0 or "tcp_add_plan: there is no plan" not in " ".join(refused.stderr.split()):
            sys.exit(f"a plan that is not there is not refused in words:\n{refused.stderr}")
    print("installed, moved and used")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
