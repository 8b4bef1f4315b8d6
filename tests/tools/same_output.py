#!/usr/bin/env python3
"""Compares what two builds of tcpc write for all plans of the repository and its documents, and for random ones: to see that a change of structure
changes no emitted byte.  Names each output that differs, with --show also its lines; exits 1 when there is one.

usage: same_output.py OLD NEW [--generator GEN_PLANS] [--seeds N] [-j JOBS] [--show]

OLD and NEW are programs.  GEN_PLANS (build/bin/gen_plans) makes plans of 100 kernels from N seeds (20), half of them spoilt.
"""
import argparse
import concurrent.futures
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from doc_examples import ROOT, blocks  # noqa: E402

PLANS = [p.relative_to(ROOT) for d in ("examples", "bench", "tests") for p in sorted((ROOT / d).rglob("*.tcp"))]
COMMANDS = [["-o", "-", "-Wall"], ["--emit=header", "-o", "-"], ["--emit=plan", "-o", "-"], ["--emit=kernel", "-o", "-"]]


def output(tcpc, words):
    made = subprocess.run([tcpc, *words], capture_output=True, cwd=ROOT, timeout=120)
    return made.returncode, made.stdout, made.stderr


def differences(job):
    old, new, plan, every = job
    commands = [[plan, *c] for c in (COMMANDS if every else COMMANDS[:1])]
    if every:
        commands += [["explain", plan], ["explain", "--json", plan], ["fmt", plan]]
    return [c for c in commands if output(old, c) != output(new, c)]


def show(old, new, words):
    texts = [b"".join(output(tcpc, words)[1:]).decode(errors="replace").splitlines() for tcpc in (old, new)]
    print("\n".join(difflib.unified_diff(*texts, "old", "new", n=1, lineterm="")))


def read_arguments(usage, *flags):
    """What same_code.py and this program are asked for."""
    arguments = argparse.ArgumentParser(usage=usage.split("usage: ")[1].split("\n")[0])
    arguments.add_argument("old", type=lambda p: str(pathlib.Path(p).resolve()))
    arguments.add_argument("new", type=lambda p: str(pathlib.Path(p).resolve()))
    arguments.add_argument("--generator")
    arguments.add_argument("--seeds", type=int, default=20)
    arguments.add_argument("-j", type=int, default=2)
    for flag in ("--show", *flags):
        arguments.add_argument(flag, action="store_true")
    return arguments.parse_args()


def random_plans(folder, a, spoil):
    """Writes the plans of the generator into "folder"; with "spoil" every second one is spoilt."""
    for seed in range(a.seeds if a.generator else 0):
        made = pathlib.Path(folder) / f"random{seed}.tcp"
        spoilt = [str(seed + 1)] if spoil and seed % 2 else []
        made.write_bytes(subprocess.run([a.generator, str(seed), "100", *spoilt], capture_output=True, check=True).stdout)
        yield made


def documents(folder):
    """Writes the plans that stand in the documents into "folder"."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for line, info, body, prelude in blocks(path.read_text()):
            if info in ("tcp", "tcp run"):
                made = pathlib.Path(folder) / f"{path.stem}-{line}.tcp"
                text = prelude + "\n" + body
                made.write_text(text if re.search(r"(?m)^tcp 1", text) else "tcp 1;\n" + text)
                yield made


def main():
    a = read_arguments(__doc__)
    old, new = a.old, a.new
    with tempfile.TemporaryDirectory() as folder:
        plans = [(p, True) for p in [*PLANS, *documents(folder)]] + [(p, False) for p in random_plans(folder, a, spoil=True)]
        found = 0
        with concurrent.futures.ThreadPoolExecutor(a.j) as pool:
            for words in (d for ds in pool.map(differences, [(old, new, str(p), every) for p, every in plans]) for d in ds):
                found += 1
                print(f"differs: tcpc {' '.join(map(str, words))}", flush=True)
                if a.show:
                    show(old, new, words)
    print(f"{len(plans)} plans, {found} outputs differ")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
