"""Fails when tcpc takes too long for an example: the whole process, the best of several runs.

usage: speed.py TCPC [MILLISECONDS]
"""

import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 15


def main(tcpc, limit=10.0):
    slow = 0
    for plan in sorted((ROOT / "examples").rglob("*.tcp")):
        times = []
        for _ in range(RUNS):
            begin = time.perf_counter()
            ran = subprocess.run([tcpc, plan, "-o", "-"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            times.append((time.perf_counter() - begin) * 1e3)
            if ran.returncode != 0:
                print(f"{plan.name}: exit status {ran.returncode}\n{ran.stderr}")
                return 1
        print(f"{min(times):6.2f} ms  {plan.relative_to(ROOT)}")
        slow += min(times) > float(limit)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
