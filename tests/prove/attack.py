"""Tries a plan whose first line says what is wanted of it, `// WANT refuse`, `compile`, `run PARAMS` or `prints TENSOR VALUE`.

usage: attack.py [--seconds S] TCPC PLAN

What compiles does so in S seconds of processor time, and so does what is refused: with exit status 1, by an error that is no "not yet
supported".  What tcpc says of a plan that it refuses goes to standard output, for FileCheck.
"""

import argparse
import pathlib
import resource
import subprocess
import sys


def call(command, timeout):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, None, "", "out of time")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("tcpc")
    parser.add_argument("plan", type=pathlib.Path)
    given = parser.parse_args()
    first = given.plan.read_text().splitlines()[0]
    want, *rest = first.removeprefix("// WANT ").split(" : ")[0].split()
    if want in ("refuse", "compile"):
        done = call([given.tcpc, "-w", given.plan, "-o", "-" if want == "refuse" else "/dev/null"], 10 * given.seconds)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = used.ru_utime + used.ru_stime
        ok = done.returncode == (1 if want == "refuse" else 0) and seconds <= given.seconds
        ok = ok and (want == "compile" or "not yet supported" not in done.stderr)
        print(done.stderr)
        got = f"exit status {done.returncode} in {seconds:.1f} s"
    elif want == "run":
        params = [x for p in rest for x in ("--param", p)]
        done = call([given.tcpc, "run", "--host", given.plan, *params], 100)
        ok = done.returncode == 0
        got = f"exit status {done.returncode}: {done.stderr or done.stdout}"
    elif want == "prints":
        tensor, number = rest
        done = call([given.tcpc, "run", "--host", given.plan, "--print", tensor], 100)
        numbers = {x for line in done.stdout.splitlines()[1:] for x in line.split()}
        ok = done.returncode == 0 and numbers == {number}
        got = f"exit status {done.returncode}, {' '.join(sorted(numbers)[:9])}: {done.stderr}"
    else:
        sys.exit(f"{given.plan}: the first line wants nothing that is known")
    if not ok:
        print(f"{given.plan.name}: wanted {want}, got {got}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
