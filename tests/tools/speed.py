"""Fails when tcpc takes too long for a kernel of an example: processor time of the whole process, the best of several runs,
by the kernels in the plan.  Processor time, so that a busy machine fails nothing.

usage: speed.py TCPC [MILLISECONDS]
"""

import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 15


def processor_ms():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e3


def main(tcpc, limit=10.0):
    slow = 0
    for plan in sorted((ROOT / "examples").rglob("*.tcp")):
        kernels = max(1, len(re.findall(r"^(?:manual )?kernel ", plan.read_text(), re.M)))
        times = []
        for _ in range(RUNS):
            begin = processor_ms()
            ran = subprocess.run([tcpc, plan, "-o", "-"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            times.append((processor_ms() - begin) / kernels)
            if ran.returncode != 0:
                print(f"{plan.name}: exit status {ran.returncode}\n{ran.stderr}")
                return 1
        print(f"{min(times):6.2f} ms a kernel  {plan.relative_to(ROOT)}")
        slow += min(times) > float(limit)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
