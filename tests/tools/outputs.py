"""Notices every byte that changes: compares what tcpc says of the plans of the repository with what it said before.

usage: outputs.py [--write] [-j JOBS] TCPC [GEN_PLANS]

For each plan below examples/, bench/ and tests/, and for random plans of a few seeds of GEN_PLANS, tests/golden/outputs.txt has a
line: its name, the exit status, and a digest of the messages (with -Wall), of the CUDA C, and of `explain`.
This judges nothing: a change may be right.  Other tests say what is right, of what somebody thought of.  This one says what has
changed, of everything: a note that is gone, a barrier more, a narrower access.  Read such a change with
`same_output.py OLD NEW --show`, then write the file anew.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests/golden/outputs.txt"
LENGTH = 8  # digits of a digest
SEEDS, KERNELS = range(1, 7), 50  # of random plans; each other seed has mistakes in it
KINDS = ("exit status", "messages", "CUDA C", "explain")
SLOW = ("out-of-steps", "err-equivalent-steps", "autos-wide", "err-not-injective", "15s", "tests/relayout/cases")  # half a second each
ENVIRONMENT = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8")


def digest(text):
    return hashlib.sha256(text).hexdigest()[:LENGTH]


def run(tcpc, words, cwd):
    made = subprocess.run([tcpc, *words], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT, timeout=120)
    return made.returncode, made.stdout, made.stderr


def outputs(job):
    """What is kept, in the order of KINDS; "-" where the plan does not compile."""
    tcpc, plan, cwd = job
    status, text, messages = run(tcpc, [plan, "-o", "-", "-Wall"], cwd)
    found = [str(status), digest(messages)]
    return [*found, "-", "-"] if status else [*found, digest(text), digest(run(tcpc, ["explain", plan, "-w"], cwd)[1])]


def plans(generator, folder):
    """(name, path from cwd, cwd) of every plan."""
    listed = [p.relative_to(ROOT) for d in ("examples", "bench", "tests") for p in sorted((ROOT / d).rglob("*.tcp"))]
    found = [(str(p), str(p), ROOT) for p in listed if not any(part in str(p) for part in SLOW)]
    for seed in SEEDS if generator else ():
        name = f"random-{seed}.tcp"
        words = [generator, str(seed), str(KERNELS), *([str(seed)] if seed % 2 == 0 else [])]
        (folder / name).write_bytes(subprocess.run(words, check=True, capture_output=True).stdout)
        found.append((name, name, folder))
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("tcpc", type=pathlib.Path)
    parser.add_argument("generator", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    tcpc, generator = options.tcpc.resolve(), options.generator and options.generator.resolve()
    with tempfile.TemporaryDirectory() as folder:
        every = plans(generator, pathlib.Path(folder))
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            made = dict(zip((name for name, _, _ in every), pool.map(outputs, [(tcpc, path, cwd) for _, path, cwd in every])))
    if options.write:
        KEPT.write_text("".join(f"{name} {' '.join(made[name])}\n" for name in sorted(made)))
    kept = {line.split()[0]: line.split()[1:] for line in KEPT.read_text().splitlines()}
    bad = 0
    for name in sorted(kept.keys() | made.keys()):
        if kept.get(name) == made.get(name):
            continue
        bad += 1
        if name not in made or name not in kept:
            print(f"{name}: {'not here any more' if name in kept else 'new'}")
            continue
        kinds = [kind for kind, a, b in zip(KINDS, kept[name], made[name]) if a != b]
        print(f"{name}: other {', '.join(kinds)}")
    if bad:
        print("same_output.py OLD NEW --show prints what changed; `./dev golden` keeps the new outputs")
    print(f"{len(made)} plans, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
