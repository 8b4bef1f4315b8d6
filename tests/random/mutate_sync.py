"""Runs each kernel of a plan on the host with one barrier or wait left out, or waiting for one group less: each must fail.

usage: mutate_sync.py TCPC RUNTIME FOLDER PLAN [OPTION..]

TCPC writes the program of `tcpc run` into FOLDER; every barrier and wait in its text is made one that a variable of the environment
leaves out, so that one build serves all mutants.  OPTIONs go to tcpc.
"""

import os
import pathlib
import re
import subprocess
import sys

HEAD = """#include <stdlib.h>
static const int tcp_mutant = getenv("TCP_MUTANT") ? atoi(getenv("TCP_MUTANT")) : -1;
"""


def number(text):
    """The text with its barriers and waits under numbers, and (kernel, line, what) of each number."""
    kernel, mutants, lines = None, [], []
    for at, line in enumerate(text.split("\n"), 1):
        if found := re.match(r"// kernel (\w+),", line):
            kernel = found[1]
        sync = re.fullmatch(r"(\s*)tcp_sync\(\);", line)
        wait = re.fullmatch(r"(\s*)tcp_cp_async_wait<(\d+)>\(\);", line)
        if sync:
            line = f"{sync[1]}if (tcp_mutant != {len(mutants)}) tcp_sync();"
            mutants.append((kernel, at, "without its barrier"))
        if wait:
            n, k = int(wait[2]), len(mutants)
            line = (
                f"{wait[1]}if (tcp_mutant == {k + 1}) tcp_cp_async_wait<{n + 1}>(); "
                f"else if (tcp_mutant != {k}) tcp_cp_async_wait<{n}>();"
            )
            mutants.append((kernel, at, f"without its wait<{n}>"))
            mutants.append((kernel, at, f"with wait<{n + 1}> for wait<{n}>"))
        lines.append(line)
    return HEAD + "\n".join(lines), mutants


def main(tcpc, runtime, folder, plan, *options):
    subprocess.run([tcpc, "run", "--host", "-w", "--write", folder, plan, *options], check=True, stdout=subprocess.DEVNULL)
    source = pathlib.Path(folder) / "plan.cu"
    text, mutants = number(source.read_text())
    source.write_text(text)
    host = [pathlib.Path(runtime) / "tcp_harness.cpp", *sorted(pathlib.Path(runtime).glob("host/*.cpp"))]
    program = pathlib.Path(folder) / "run"
    subprocess.run(
        [os.environ.get("CXX", "g++"), "-std=c++17", "-O1", "-w", f"-I{runtime}", "-o", program, "-x", "c++", source, "-x", "none",
         pathlib.Path(folder) / "main.cpp", *host, "-pthread"],
        check=True,
    )  # fmt: skip
    right = subprocess.run([program, "--data", folder], capture_output=True, text=True)
    if right.returncode != 0:
        print(right.stdout + right.stderr)
        return 1
    missed = 0
    for k, (kernel, line, what) in enumerate(mutants):
        env = dict(os.environ, TCP_MUTANT=str(k))
        run = subprocess.run([program, "--data", folder, "--kernel", kernel], capture_output=True, text=True, env=env)
        if run.returncode == 0:
            print(f"{kernel}, line {line} {what}: nothing is wrong")
            missed += 1
        elif run.returncode != 1:
            print(f"{kernel}, line {line} {what}: ends with {run.returncode}: {run.stderr}")
            missed += 1
    print(f"{len(mutants)} mutants, {missed} of them unnoticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
