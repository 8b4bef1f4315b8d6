#!/usr/bin/env python3
"""Fails allocations, or calls of the system, of 44 commands of tcpc one by one, and looks at how each command ends.

usage: failures.py memory|calls LIBRARY TCPC [--every N] [--seed S] [--only REGEX] [-j JOBS]

LIBRARY is fail.c as a shared library.  Each call fails once alone, and once with all that come after it.  Then tcpc says so in one
line and exits with 2, no file is new or changed, and no folder is left.  With calls, the command may also end as it would have, say
more before that line, or refuse a plan for want of what it imports.  With --every the seed chooses one of N calls.  The seed is told where something
is wrong.  C++ is compiled by a stub.
"""

import argparse
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = "examples/parallel_copy/parallel_copy.tcp"
TAILS = "examples/tails/tails.tcp"
LOADS = "examples/attention_loads/attention_loads.tcp"
WAYS = "examples/four_ways/small.tcp"
COMMANDS = [line.replace("COPY", COPY).replace("TAILS", TAILS).replace("LOADS", LOADS).replace("WAYS", WAYS).split() for line in """
COPY -o out.cu
COPY --no-line -o -
TAILS -o out.cu
LOADS -o out.cu
WAYS -o out.cu
COPY -MD -o out.cu
tests/explain/imports.tcp -w -MD -MF out.d -o out.cu
tests/explain/imports.tcp -w -o out.cu
COPY --emit=ast
COPY --emit=plan
COPY --emit=kernel
COPY --emit=header -o out.cuh
tests/explain/call.tcp --emit=header -o out.cuh
TAILS --dump-after=vectorize -o out.cu
tests/async/first.tcp -arch=sm_90 -o out.cu
tests/pass/err-not-injective.tcp -o out.cu
tests/driver/Inputs/wrong.tcp -o out.cu
tests/driver/Inputs/wrong.tcp --diagnostics=json -o out.cu
tests/sema/import.tcp -o out.cu
tests/sema/err-head.tcp -o out.cu
no-such-plan.tcp -o out.cu
COPY --no-such-option
@words
explain COPY
explain --json TAILS -o out.json
explain --plan WAYS -o out.tcp
explain --plan -w tests/explain/imports.tcp
explain COPY no_such_copy
explain --equivalent COPY parallel_copy parallel_copy
draw COPY tc
draw COPY tc -o out.svg
draw TAILS tails --view memory -o out.tex
draw LOADS no_such_name
fmt COPY
fmt -i copy.tcp
fmt --check copy.tcp
eval coalesce((2,(4,8)):(1,(2,8)))
eval --steps --table complement((4,2):(1,8),64)
eval --json complement((4,2):(1,8),64)
--explain=injective
run COPY --host
run TAILS --host --write out
run WAYS --host --keep out
tune tests/relayout/planned.tcp --kernel repeated --host -n 2 --cxx tests/relayout/Inputs/fake_cxx.py -o out.tcp
relayout --tune f32 (64,8):(8,1) (64,8):(1,64) --host -n 2 --json --cxx tests/relayout/Inputs/fake_cxx.py --keep out
""".strip().splitlines()]
PART = 20000  # failures of memory that one process makes; more of them take several
LINE = re.compile(r"tcpc: error: [^\t\n]+[\t\n]")


def prepare(folder):
    """The folder of one command: links to what it reads, a plan to be formatted, the words of a response file."""
    for name in ("examples", "tests"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "copy.tcp").write_text((ROOT / COPY).read_text().replace("  ", " "))
    (folder / "words").write_text(f"{COPY}\n--emit=plan\n")
    (folder / "tmp").mkdir()


def picture(folder):
    """What is in the folder, with the texts; folders of ours too."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            continue
        found[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() else None
    return found


class Command:
    def __init__(self, work):
        self.kind, self.library, self.tcpc, self.words, self.every, self.seed, self.part, self.parts = work
        self.wrong, self.tried = [], 0

    def run(self, **variables):
        """Runs the command with what fails; returns exit status, standard error, the log, and how the folder changed."""
        with tempfile.TemporaryDirectory(prefix="fail-") as name:
            folder, log = pathlib.Path(name) / "here", pathlib.Path(name) / "log"
            folder.mkdir()
            prepare(folder)
            before = picture(folder)
            env = dict(os.environ, LD_PRELOAD=self.library, FAIL=self.kind, FAIL_LOG=str(log), FAIL_FOLDER=str(folder), TMPDIR=str(folder / "tmp"), CXX=str(pathlib.Path(__file__).with_name("cxx")))
            env.update({k: str(v) for k, v in variables.items() if v is not None})
            try:
                done = subprocess.run([self.tcpc, *self.words], cwd=folder, env=env, capture_output=True, timeout=580, stdin=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return None, "does not end", [], {}
            after = picture(folder)
            changed = {k: v for k, v in after.items() if before.get(k, b"\0none") != v} | {k: None for k in before if k not in after}
            lines = log.read_text(errors="replace").splitlines() if log.exists() else []
            return done.returncode, done.stderr.decode(errors="replace"), lines, changed

    def judge(self, where, status, said, changed, normal=({},)):
        """Notes what is wrong with how a command ended.  With calls it may say more before its line, refuse a plan for want of what it
        imports, and have written a file before standard output failed: such a file is whole."""
        said = re.sub(r"^tcpc: chosen: .*?[\n\t]", "", said)  # which is no error
        line = said
        if self.kind == "calls":
            line = said.rstrip("\n").rsplit("\n", 1)[-1] + "\n"
            if re.search(r'cannot be read: No space left|"message": "cannot read', said) or line == "1 error generated\n":
                status, line = 2 if status == 1 else status, re.search(r"cannot (?:be )?read.*|$", said)[0] and "tcpc: error: it\n"
            if "standard output" in line and all(normal[-1].get(k) == v for k, v in changed.items()):
                changed = {}
        if status != 2 or not LINE.fullmatch(line):
            self.wrong.append(f"{where}: exit status {status}: {said.strip()[:300] or 'nothing is said'}")
        elif changed:
            self.wrong.append(f"{where}: left or changed: {', '.join(changed)}")

    def count(self):
        """How many calls there are, and what the command does when none fails."""
        status, said, lines, changed = self.run()
        total = int(lines[-1].split(" ")[1]) if lines and lines[-1].startswith("total") else 0
        if not total and self.kind == "memory":
            self.wrong.append(f"exit status {status} and no count: {said[:300]}")
        return total, (status, said, changed)

    def chosen(self, total):
        """Numbers of calls, one of "every", and three at least.  Of these, each part takes its own."""
        step = max(1, min(self.every, total // 3))
        first = random.Random(f"{self.seed} {self.words}").randrange(step)
        return range(first + self.part * step, total, step * self.parts)

    def memory(self):
        # all in children of one process, until there is a folder that these would have in common
        chosen, apart = self.chosen(self.count()[0]), None
        status, said, lines, _ = self.run(FAIL_FORK=chosen.step, FAIL_FROM=chosen.start)
        for line in lines:
            number, *rest = line.split(" ", 4)
            if number == "total":
                continue
            if number == "apart":
                apart = int(rest[0])
            else:
                self.tried += 1
                self.judge(f"allocation {number} {rest[0]}", int(rest[1]), rest[3], [] if rest[2] == "same" else ["a file"])
        if status is None:
            self.wrong.append(said)
        for n in chosen:
            if apart is not None and n >= apart:
                self.each(n)

    def each(self, n, normal=None):
        for on in (None, "1"):
            status, said, lines, changed = self.run(FAIL_AT=n, FAIL_ON=on)
            if not any(line.split(" ")[0] == str(n) for line in lines):
                continue  # a run that differs does not come so far
            self.tried += 1
            if normal and (status, said, changed) == normal:
                continue
            if "--keep" in self.words:  # that leaves everything there
                changed = {k: v for k, v in changed.items() if not k.startswith("out")}
            self.judge(f"{lines[0]} {'on' if on else 'once'}", status, said, changed, normal or ({},))

    def calls(self):
        total, normal = self.count()
        for n in self.chosen(total):
            self.each(n, normal)


def parts(work):
    """The same work in parts, of which each ends in time."""
    if work[0] == "calls":
        return [work + (0, 1)]
    n = len(Command(work + (0, 1)).chosen(Command(work + (0, 1)).count()[0])) // PART + 1
    return [work + (i, n) for i in range(n)]


def try_command(work):
    command = Command(work)
    getattr(command, command.kind)()
    return " ".join(command.words), command.tried, command.wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("kind", choices=("memory", "calls"))
    p.add_argument("library", type=pathlib.Path)
    p.add_argument("tcpc", type=pathlib.Path)
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    p.add_argument("--only", default="")
    p.add_argument("-j", type=int, default=2)
    a = p.parse_args()
    commands = [words for words in COMMANDS if re.search(a.only, " ".join(words))]
    work = [(a.kind, str(a.library.resolve()), str(a.tcpc.resolve()), words, a.every, a.seed) for words in commands]
    tried, wrong = 0, 0
    with multiprocessing.Pool(a.j) as pool:
        split = [part for whole in pool.map(parts, work, 1) for part in whole]
        for words, n, found in pool.imap_unordered(try_command, split):
            tried += n
            wrong += len(found)
            for line in found[:12]:
                print(f"{words}: {line}", flush=True)
            if not n and a.kind == "memory":
                wrong += 1
                print(f"{words}: nothing failed")
    print(f"{len(commands)} commands, {tried} failures of {a.kind}, {wrong} are wrong" + (f"; --every {a.every} --seed {a.seed}" if wrong else ""))
    return 1 if wrong or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
