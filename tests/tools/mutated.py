#!/usr/bin/env python3
"""Compiles plans of the tests and examples that were changed at random, and names those that crash tcpc, make it say that it has a
bug, or take longer than a second.

usage: mutated.py TCPC [--count N] [--seed S] [-j JOBS] [--keep FOLDER]

A change puts another number, operator or name of the plan in the place of one, repeats a statement, or takes out, doubles or swaps
tokens.  A plan has one to three.  Plan I of a seed is the same whatever the count.  Seconds are processor time of the compile.
"""

import argparse
import collections
import multiprocessing
import pathlib
import random
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 1.0  # seconds
TOKEN = re.compile(r"//[^\n]*|\s+|[A-Za-z_]\w*|\d\w*|\.\.|->|[<>=!]=|.", re.S)
OPERATORS = ["+", "-", "*", "/", "%"]
NUMBERS = ["0", "1", "2", "3", "7", "31", "33", "64", "1000", "65537", "4294967296", "9223372036854775807"]


def plans():
    return sorted(p for folder in ("examples", "bench", "tests") for p in (ROOT / folder).rglob("*.tcp") if re.search(r"(?m)^(tcp|import)", p.read_text(errors="replace")))


def change(rng, text):
    tokens = TOKEN.findall(text)
    places = [i for i, t in enumerate(tokens) if not t.isspace() and not t.startswith("//")]
    names = re.findall(r"\b(?:tensor|param|const|shared|frag|layout|tiled_copy|for) (\w+)", text) + ["tid", "block.x", "block.y"]
    numbers = [i for i in places if tokens[i].isdigit()]
    words = [i for i in places if tokens[i] in names]
    operators = [i for i in places if tokens[i] in OPERATORS]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        i, how = rng.choice(places), rng.random()
        if how < 0.4 and numbers:
            i = rng.choice(numbers)
            near = [str(max(0, int(tokens[i]) + d)) for d in (-1, 1, int(tokens[i]))]
            tokens[i] = rng.choice(near + near + NUMBERS)
        elif how < 0.6 and words:
            tokens[rng.choice(words)] = rng.choice(names)
        elif how < 0.7 and operators:
            tokens[rng.choice(operators)] = rng.choice(OPERATORS)
        elif how < 0.75 and numbers:
            tokens[rng.choice(numbers)] += f" {rng.choice(OPERATORS)} {rng.choice(names)}"
        elif how < 0.85:
            k = text.find(";", rng.randrange(len(text))) + 1  # a statement again
            line = text[text.rfind("\n", 0, k) + 1:k] if k else ""
            tokens[i] += f" {line}" if tokens[i] in (";", "{", "}") else ""
        elif how < 0.9:
            tokens[i] = ""
        elif how < 0.95:
            tokens[i] += " " + tokens[i]
        else:
            k = rng.choice(places)
            tokens[i], tokens[k] = tokens[k], tokens[i]
        numbers = [i for i in numbers if tokens[i].isdigit()]
    return "".join(tokens)


def try_one(work):
    """(what is wrong or None, exit status, seconds, name of the plan, text)"""
    tcpc, seed, index, path = work
    rng = random.Random(f"{seed} {index}")
    text = change(rng, path.read_text(errors="replace"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        ran = subprocess.run([tcpc, "-w", "-", "-o", "/dev/null"], input=text.encode(), capture_output=True, timeout=60, cwd=path.parent)
        status, said = ran.returncode, ran.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        status, said = None, ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    wrong = None
    if status is None:
        wrong = "does not end"
    elif status not in (0, 1):
        wrong = f"exit status {status}"
    elif "internal error" in said:
        wrong = "internal error"
    elif seconds > LIMIT:
        wrong = f"takes {seconds:.1f} s"
    return wrong, status, seconds, path.relative_to(ROOT), text


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tcpc")
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("-j", type=int, default=2)
    p.add_argument("--keep", type=pathlib.Path)
    a = p.parse_args()
    all_plans = plans()
    work = [(str(pathlib.Path(a.tcpc).resolve()), a.seed, i, random.Random(f"{a.seed} which {i}").choice(all_plans)) for i in range(a.count)]
    ends, longest, failed = collections.Counter(), 0.0, 0
    with multiprocessing.Pool(a.j) as pool:
        for i, (wrong, status, seconds, name, text) in enumerate(pool.imap(try_one, work, chunksize=8)):
            ends[status] += 1
            longest = max(longest, seconds)
            if wrong:
                failed += 1
                print(f"{i}: {name}: {wrong}", flush=True)
                if a.keep:
                    a.keep.mkdir(parents=True, exist_ok=True)
                    (a.keep / f"{a.seed}-{i}.tcp").write_text(text)
    print(f"{a.count} mutated plans, {ends[0]} compile, {ends[1]} are refused, the longest takes {longest:.2f} s; {failed} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
