"""Notices every byte that changes: compares what tcpc says of the plans of the repository with what it said before.

usage: outputs.py [--write] [--first] [--share N] [-j JOBS] TCPC [GEN_PLANS]

tests/golden/outputs.txt has a block for each plan below examples/, bench/ and tests/, and for random plans of a few seeds of GEN_PLANS:
its name, the exit status, a digest of the CUDA C and one of everything else, then its messages (with -Wall), each once, without the
places, sorted.  Everything else is the text of the messages with their places and pictures, `explain`, its numbers (`explain --json`,
and `count` where COUNTED says so), and what is said of the plan with a random change, which its name chooses.  Blocks "prove-.." are of
random plans of tests/prove, "relayout-.." of the permutations and random relayouts of tests/relayout, GROUP to a block: their status
is how many of them are right.  A message has at most WIDTH characters here and a block at most MOST messages, so that the file stays
below MOST * WIDTH bytes a block; it has some 400 kB.
With --share, one plan in two is looked at, and "everything else" for one in N of these, chosen by the name and TCPC_SEED: both are
a sixth of the time of all.
This judges nothing: a change may be right.  Other tests say what is right, of what somebody thought of.  This one says what has
changed, of everything: a note that is gone, a barrier more, a narrower access.  Read such a change in the diff of the file and with
`same_output.py OLD NEW --show`.
"""

import argparse
import concurrent.futures
import difflib
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "tests/relayout"))
import relayouts  # noqa: E402
from mutated import change  # noqa: E402

KEPT = ROOT / "tests/golden/outputs.txt"
LENGTH = 8  # digits of a digest
SEEDS, KERNELS = range(1, 7), 50  # of random plans; each other seed has mistakes in it
PROVEN, RELAYOUTS, GROUP = 160, 60, 20  # plans of each kind of tests/prove, random relayouts, and how many make a line
WIDTH, MOST = 140, 12  # of a message, of a block
KINDS = ("status", "code", "else", "messages")
SEVERITY = re.compile(r"(?m)^(?:.*?:)?(?:\d+:\d+: )?((?:error|warning|note|remark): .*)$")
SLOW = ("out-of-steps", "err-equivalent-steps", "autos-wide", "err-not-injective", "15s", "tests/relayout/cases", "far-apart",
        "few-threads")  # half a second each
COUNTED = ("examples/", "tests/cost/", "tests/count/", "tests/plans/", "tests/async/")
ENVIRONMENT = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8")


def digest(text):
    return hashlib.sha256(text).hexdigest()[:LENGTH]


def run(tcpc, words, cwd, given=b""):
    made = subprocess.run([tcpc, *words], cwd=cwd, input=given, capture_output=True, env=ENVIRONMENT, timeout=120)
    return made.returncode, made.stdout, made.stderr


def told(messages):
    """The messages in a text, each once, sorted."""
    lines = sorted({line.replace("\t", " ") for line in SEVERITY.findall(messages.decode(errors="replace"))})
    lines = [line if len(line) <= WIDTH else line[:WIDTH - 2] + ".." for line in lines]
    return lines if len(lines) <= MOST else [*lines[:MOST - 1], f"and {len(lines) - MOST + 1} more"]


def outputs(job):
    """What is kept of a plan, in the order of KINDS; None for what is not looked at, of one that is "known" perhaps all."""
    tcpc, share, known, name, plan, cwd = job
    if known and int(digest(f"{name} {os.environ.get('TCPC_SEED', 0)}".encode()), 16) % 2:
        return None
    status, text, messages = run(tcpc, [plan, "-o", "-", "-Wall"], cwd)
    code, other = digest(text) if status == 0 else "-", messages
    if int(digest(f"{os.environ.get('TCPC_SEED', 0)} {name}".encode()), 16) % share:
        return [str(status), code, None, told(messages)]
    if status == 0:
        other += run(tcpc, ["explain", plan, "-w"], cwd)[1] + run(tcpc, ["explain", "--json", plan, "-w"], cwd)[1]
        if name.startswith(COUNTED):
            other += b"".join(run(tcpc, ["count", plan, "-w"], cwd)[1:])
    source = (cwd / plan).read_text(errors="replace")
    if not name.startswith("random-") and re.search(r"(?m)^(tcp|import)", source):
        changed = change(random.Random(name), source)
        changed_status, changed_text, changed_messages = run(tcpc, ["-", "-o", "-", "-Wall"], (cwd / plan).parent, changed.encode())
        other += str(changed_status).encode() + changed_messages + changed_text
    return [str(status), code, digest(other), told(messages)]


def group_outputs(job):
    """What is kept of a group of commands, each with its standard input."""
    tcpc, commands = job
    made = [run(tcpc, words, ROOT, given.encode()) for words, given in commands]
    messages, texts = (b"".join(m[i] for m in made) for i in (2, 1))
    return [str(sum(m[0] == 0 for m in made)), digest(texts), digest(messages), told(messages)]


def block(name, kept):
    """The block of a plan, as in the file."""
    return f"{name}\n  status {kept[0]} code {kept[1]} else {kept[2]}\n" + "".join(f"  {line}\n" for line in kept[3])


def read_kept():
    """What the file has, by name."""
    kept = {}
    for text in re.findall(r"(?m)^\S.*\n(?: .*\n)*", KEPT.read_text()):
        name, numbers, *lines = text.splitlines()
        kept[name] = [*numbers.split()[1::2], [line[2:] for line in lines]]
    return kept


def groups():
    """(name, commands) of what has no file."""
    every = {}
    for kind in ("coverage", "order", "uninit"):
        texts = subprocess.run([sys.executable, ROOT / "tests/prove/run.py", kind, "--count", str(PROVEN), "--texts"], check=True, capture_output=True).stdout
        every[f"prove-{kind}"] = [(["-", "-o", "-", "-Wall"], text) for text in json.loads(texts)]
    listed = [line.split() for line in (ROOT / "tests/relayout/permutations.txt").read_text().splitlines() if line.strip()]
    cases = [relayouts.permutation(n, int(w), relayouts.numbers(p), relayouts.numbers(e)) for n, w, p, e in listed]
    rng = random.Random(1)
    cases += [relayouts.drawn(rng, f"k{i}", i % 3 == 0) for i in range(RELAYOUTS)] + [relayouts.ragged(rng, f"r{i}") for i in range(GROUP)]
    cases += [relayouts.rows(rng, f"s{i}") for i in range(GROUP)]
    every["relayout"] = [([*case.command(), "-o", "-", "-Wall", *[f"--candidate={i % 4}"] * (i % 2)], "") for i, case in enumerate(cases)]
    return [(f"{name}-{i // GROUP}", commands[i:i + GROUP]) for name, commands in every.items() for i in range(0, len(commands), GROUP)]


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
    parser.add_argument("--first", action="store_true", help="end with the first difference")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="look at everything else for one plan in N")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("tcpc", type=pathlib.Path)
    parser.add_argument("generator", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    if options.write and options.share != 1:
        parser.error("--write looks at everything")
    tcpc, generator = options.tcpc.resolve(), options.generator and options.generator.resolve()
    kept = {} if options.write else read_kept()
    made = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        work = {name: pool.submit(outputs, (tcpc, options.share, options.share > 1 and name in kept, name, *plan)) for name, *plan in plans(generator, pathlib.Path(folder))}
        work.update((name, pool.submit(group_outputs, (tcpc, commands))) for name, commands in groups())
        for name, one in work.items():
            made[name] = one.result() or list(kept[name])
            if name in kept and made[name][2] is None:
                made[name][2] = kept[name][2]
            if options.first and kept.get(name) != made[name]:
                print(f"{name} has changed")
                pool.shutdown(cancel_futures=True)
                return 1
    if options.write:
        KEPT.write_text("".join(block(name, made[name]) for name in sorted(made)))
        kept = made
    bad = 0
    for name in sorted(kept.keys() | made.keys()):
        if kept.get(name) == made.get(name):
            continue
        bad += 1
        if name not in made or name not in kept:
            print(f"{name}: {'removed' if name in kept else 'new'}")
            continue
        kinds = [kind for kind, a, b in zip(KINDS, kept[name], made[name]) if a != b]
        print(f"{name}: changed: {', '.join(kinds)}")
        print("".join(f"  {line}\n" for line in difflib.ndiff(kept[name][3], made[name][3]) if line[0] in "-+"), end="")
    if bad:
        print("same_output.py OLD NEW --show prints what changed; `./dev golden` keeps the new outputs")
    print(f"{len(made)} plans, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
