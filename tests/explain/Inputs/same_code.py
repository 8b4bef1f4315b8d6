"""usage: same_code.py [--one-of=N[:SEED]] TCPC PLAN...: `explain --plan` of each plan compiles to the same code up to comments and lines of
#line."""

import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from sampled import drawn  # noqa: E402


def run(arguments, text=None):
    done = subprocess.run([options.tcpc, *arguments], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tcpc {' '.join(arguments)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def code(text):
    return [line for line in text.splitlines() if not line.lstrip().startswith(("//", "#line"))]


parser = argparse.ArgumentParser()
parser.add_argument("--one-of")
parser.add_argument("tcpc")
parser.add_argument("plans", nargs="+")
options = parser.parse_args()
plans, seed = drawn(options.plans, options.one_of)
for plan in plans:
    kind = "--emit=cuda" if "\nkernel " in open(plan, encoding="utf-8").read() else "--emit=header"
    want = code(run(["-w", kind, plan, "-o", "-"]))
    source = run(["explain", "-w", "--plan", plan])
    got = code(run(["-w", kind, "-", "-o", "-"], source))
    if not want or got != want:
        where = next((i for i, pair in enumerate(zip(want, got)) if pair[0] != pair[1]), min(len(want), len(got)))
        sys.exit(f"{plan}: its --plan compiles to other code, from line {where} of it on:\n{source}")
    # what is written down already is written down the same
    if run(["explain", "-w", "--plan", "-"], source) != source:
        sys.exit(f"{plan}: --plan of its --plan differs:\n{source}")
print(f"{len(plans)} plans are the same{seed}")
