#!/usr/bin/env python3
"""usage: limit.py TCPC LIMIT FOLDER...: compiles the plans below the folders with --proof-limit=LIMIT, and names those for which that is
too little: those that compile, or are refused, otherwise than without."""
import pathlib
import subprocess
import sys


def compile_plan(tcpc, plan, *options):
    made = subprocess.run([tcpc, *options, "-w", str(plan), "-o", "-"], capture_output=True, text=True)
    return made.returncode, made.stdout, made.stderr


def main():
    tcpc, limit, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    plans = sorted(plan for folder in folders for plan in pathlib.Path(folder).rglob("*.tcp"))
    more = 0
    for plan in plans:
        if compile_plan(tcpc, plan, f"--proof-limit={limit}") != compile_plan(tcpc, plan):
            print(f"{plan.name} needs more than {limit} operations")
            more += 1
    print(f"{len(plans)} plans, {more} of them need more")


if __name__ == "__main__":
    main()
