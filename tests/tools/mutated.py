#!/usr/bin/env python3
"""Gives plans of the tests and examples that were changed at random to the subcommands of tcpc, and names those that crash it, make it
say that it has a bug, fail without a word or with another exit status than the documented ones, or pass the limits of time and memory.

usage: mutated.py TCPC [--count N | --seconds N] [--seed S] [-j JOBS] [--keep FOLDER] [--commands REGEX]

A change puts another number, operator or name of the plan in the place of one, repeats a statement, or takes out, doubles or swaps
tokens.  A plan has one to three, and goes to one subcommand.  Plan I of a seed is the same whatever the count.  Seconds are processor
time: a command may take 1 and 0.05 for each KB of the plan, and 256 MB, for each kernel; 30 times that under the sanitizers, 2 GB.
`run` and `count` execute the plan, however many elements it has: they are stopped after 10 s, and may have 2 GB.
"""

import argparse
import collections
import multiprocessing
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile

from seeds import new_seed

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS, MEGABYTES = 1.0, 256  # a kernel
SANITIZED = 30
RUN_SECONDS = 10
EXECUTE = ("run", "count")
STOPPED = (-signal.SIGXCPU, -signal.SIGKILL)
TOKEN = re.compile(r"//[^\n]*|\s+|[A-Za-z_]\w*|\d\w*|\.\.|->|[<>=!]=|.", re.S)
OPERATORS = ["+", "-", "*", "/", "%"]
NUMBERS = ["0", "1", "2", "3", "7", "31", "33", "64", "1000", "65537", "2147483648", "4294967296", "1099511627777", "4611686018427387904",
           "4611686018427387903", "9223372036854775807"]
REPORT = re.compile(r"internal error|Sanitizer|runtime error:|out of memory|Assertion")
# PLAN is the changed plan on standard input, NAME and TWO names in it, OUT a file, DIR a folder, LAYOUT an expression of the plan.
COMMANDS = [line.split() for line in """
-w PLAN -o /dev/null
-w PLAN -o /dev/null
PLAN -o OUT
PLAN --error-limit=0 --diagnostics=json -o /dev/null
PLAN -Werror -arch=sm_90 --no-line -o /dev/null
PLAN -MD -MF OUT -MT x -o /dev/null
PLAN --emit=ast
PLAN --emit=plan
PLAN --emit=kernel
PLAN --emit=header -o -
PLAN --dump-after=parse -o /dev/null
PLAN --dump-after=sema -o /dev/null
PLAN --dump-after=sync -o /dev/null
explain PLAN
explain PLAN
explain --json PLAN
explain --plan PLAN
explain --plan PLAN
explain PLAN NAME
explain PLAN NAME.TWO
explain --equivalent PLAN NAME TWO
draw PLAN NAME
draw PLAN NAME --format text
draw PLAN NAME --format svg
draw PLAN NAME --format tikz
draw PLAN NAME --view path
draw PLAN NAME --view banks --format svg
draw PLAN NAME --view sectors --format tikz
draw PLAN NAME --view timeline
draw PLAN NAME --view layout --format tikz
draw PLAN NAME --view flow --format svg
draw PLAN NAME --view tv
draw PLAN NAME --view swizzle --format tikz
draw PLAN operand_A(NAME) --view operand
draw PLAN NAME --view inverse
draw PLAN NAME --view owners --values
draw PLAN NAME --view path --thread 7
fmt PLAN
fmt --check PLAN
eval LAYOUT
eval --steps --table LAYOUT
eval --json LAYOUT
run --host --write DIR PLAN
run --host --write DIR --print NAME PLAN
count PLAN
count --json PLAN
relayout f16 LAYOUT LAYOUT -o /dev/null
relayout u8 LAYOUT LAYOUT --emit=plan-text
""".strip().splitlines()]


def plans():
    # not those whose tensors have GBs, as a run of them needs as much
    return sorted(p for folder in ("examples", "bench", "tests") for p in (ROOT / folder).rglob("*.tcp") if not p.name.startswith("far-apart") and re.search(r"(?m)^(tcp|import)", p.read_text(errors="replace")))


def names_in(text):
    return re.findall(r"\b(?:tensor|param|const|shared|frag|layout|tiled_copy|for|kernel|device|atom) (\w+)", text) or ["x"]


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


def words(rng, command, text, folder):
    """The command line for a plan, and what it gets on standard input."""
    names = names_in(text)
    layouts = re.findall(r"(?:layout|tiled_copy) \w+ = ([^;]{1,200});", text) + re.findall(r"[\w ]+(\([^;{}]{1,100}\));", text) or ["1:1"]
    change_to = {"PLAN": "-", "OUT": str(folder / "out"), "DIR": str(folder / "dir"), "LAYOUT": " ".join(rng.choice(layouts).split())}
    line = []
    for word in command:
        word = change_to.get(word, word)
        line.append(re.sub(r"\b(?:NAME|TWO)\b", lambda _: rng.choice(names), word))
    if line[0] == "eval" and rng.random() < 0.5:
        line[-1] = change(rng, line[-1])
    return line


def limits(sanitized, seconds):
    def set_limits():
        if not sanitized:  # whose addresses are not bounded
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 20, 256 << 20))
    return set_limits


def run(line, text, sanitized, cwd):
    """(exit status or None, standard error, whether anything was printed, seconds, megabytes)"""
    env = dict(os.environ, ASAN_OPTIONS="detect_stack_use_after_return=0:detect_leaks=1", UBSAN_OPTIONS="print_stacktrace=1")
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(text.encode(errors="replace"))
        given.seek(0)
        child = subprocess.Popen(line, stdin=given, stdout=out, stderr=err, cwd=cwd, env=env, preexec_fn=limits(sanitized, RUN_SECONDS if line[1] in EXECUTE else 120))
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        said = err.read(1 << 20).decode(errors="replace")
        return child.returncode, said, out.seek(0, 2) > 0, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def judge(line, text, sanitized, status, said, printed, seconds, megabytes):
    runs = line[1] in EXECUTE
    if runs and status in STOPPED and seconds >= RUN_SECONDS - 1:
        return None
    kernels = max(1, len(re.findall(r"\b(?:kernel|device)\b", text)))
    most = (SECONDS * kernels + 0.05 * len(text) / 1024) * (SANITIZED if sanitized else 1)
    reported = REPORT.search(said)
    if reported:
        return reported[0]
    if status not in (0, 1, 2):
        return f"exit status {status}"
    # what eval, and a comparison of two kernels, find goes to the output
    if status and not said.strip() and not (printed and (line[1] == "eval" or "--equivalent" in line)):
        return f"exit status {status} and no word"
    if status == 2 and "tcpc: error: " not in said and "usage:" not in said and '"error"' not in said:
        return "exit status 2 without its line"
    if seconds > most and not runs:
        return f"takes {seconds:.1f} s"
    if megabytes > (2048 if sanitized or runs else MEGABYTES * kernels):
        return f"takes {megabytes:.0f} MB"
    return None


def try_one(work):
    """(what is wrong or None, exit status, seconds, megabytes, name of the plan, text, command line)"""
    tcpc, sanitized, seed, index, path, commands = work
    rng = random.Random(f"{seed} {index}")
    text = change(rng, path.read_text(errors="replace"))
    with tempfile.TemporaryDirectory(prefix="mutated-") as folder:
        line = [tcpc] + words(rng, rng.choice(commands), text, pathlib.Path(folder))
        done = run(line, text, sanitized, path.parent)
    return judge(line, text, sanitized, *done), done[0], done[3], done[4], path.relative_to(ROOT), text, line[1:]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tcpc")
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--seconds", type=float, help="of processor time, in place of a count")
    p.add_argument("--seed", type=int, default=new_seed())
    p.add_argument("-j", type=int, default=2)
    p.add_argument("--keep", type=pathlib.Path)
    p.add_argument("--commands", default="")
    a = p.parse_args()
    tcpc = pathlib.Path(a.tcpc).resolve()
    sanitized, all_plans = b"__asan_init" in tcpc.read_bytes(), plans()
    commands = [c for c in COMMANDS if re.search(a.commands, " ".join(c))]
    ends, longest, most, failed, spent = collections.Counter(), 0.0, 0.0, 0, 0.0
    total = a.count if a.seconds is None else 1 << 40
    work = ((str(tcpc), sanitized, a.seed, i, random.Random(f"{a.seed} which {i}").choice(all_plans), commands) for i in range(total))
    with multiprocessing.Pool(a.j) as pool:
        i, batch = 0, 8 * a.j
        while (a.seconds is None and i < a.count) or (a.seconds is not None and spent < a.seconds):
            some = [next(work) for _ in range(min(batch, total - i))]
            for wrong, status, seconds, megabytes, name, text, line in pool.imap(try_one, some):
                ends[status] += 1
                longest, most, spent = max(longest, seconds), max(most, megabytes), spent + seconds
                if wrong:
                    failed += 1
                    print(f"{i}: {name}: {wrong}: tcpc {' '.join(line)}", flush=True)
                    if a.keep:
                        a.keep.mkdir(parents=True, exist_ok=True)
                        (a.keep / f"{a.seed}-{i}.tcp").write_text(text)
                i += 1
    print(f"seed {a.seed}: {i} mutated plans, {ends[0]} right, {ends[1]} refused, {ends[2]} not possible; at most {longest:.2f} s and {most:.0f} MB; {failed} fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
