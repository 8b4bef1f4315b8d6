#!/usr/bin/env python3
"""Prints what tcpc takes for each example: processor time of the whole process in milliseconds, the least of several runs, in all
and by the kernels in the plan.

usage: examples.py TCPC [RUNS]
"""

import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def processor_ms():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e3


def main(tcpc, runs="15"):
    print("    all  a kernel")
    for plan in sorted((ROOT / "examples").rglob("*.tcp")):
        kernels = max(1, len(re.findall(r"^(?:manual )?kernel ", plan.read_text(), re.M)))
        times = []
        for _ in range(int(runs)):
            begin = processor_ms()
            ran = subprocess.run([tcpc, plan, "-o", "-"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            times.append(processor_ms() - begin)
            if ran.returncode != 0:
                print(f"{plan.name}: exit status {ran.returncode}\n{ran.stderr}")
                return 1
        print(f"{min(times):7.2f}  {min(times) / kernels:8.2f}  {plan.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
