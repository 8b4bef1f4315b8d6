"""Fails when tcpc takes too long for a kernel of an example: processor time of the whole process, the best of several runs,
by the kernels in the plan.  Processor time, so that a busy machine fails nothing.

usage: speed.py TCPC
"""

import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 15
LIMIT = 10.0  # milliseconds
# Plans that may take longer, and why.
LONGER = {
    # A step moves 147,000 elements between shared memory and fragments and gives 330,000 to functions: a plain tile of 128x128 moves
    # 16,384 in all.  More than half of it is the proof that its accesses are in order.
    "examples/attention_loads/attention_loads.tcp": 120.0,
}


def processor_ms():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e3


def main(tcpc):
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
        name = str(plan.relative_to(ROOT))
        limit = LONGER.get(name, LIMIT)
        print(f"{min(times):6.2f} ms a kernel, of {limit:.0f}  {name}")
        slow += min(times) > limit
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
