"""Do the tests notice when the passes or the Kernel IR do something else?  Changes the sources by rule, one place at a time (see
c_mutants.py), rebuilds what changed, and runs tests, the quick ones first, until one fails; at last
under the sanitizers.

usage: mutants.py [--seed S] [--count N] [--jobs J] [--only REGEX] [--report FILE] [--again FILE] [--list]

--seed     draws another sample (default 1)             --count   how many mutants (default 100)
--jobs     how many at a time, each with a build folder of its own (default: one for two cores)
--only     of files whose path matches                  --again   the survivors of a report, instead of a sample
--report   where to write what became of each (default build-mutants/report.json)
--list     prints the sample and runs nothing

A mutant that no compiler takes is not counted.  One that runs out of time or memory counts as killed, and is marked.  Survivors
that tests/mutants/judged.txt knows are listed with its verdict.  Exit status 0 when 90% are killed.
"""

import argparse
import concurrent.futures
import fcntl
import json
import os
import pathlib
import queue
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from c_mutants import Mutant, mutants_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ("compiler/pass/*.c", "compiler/kernel/*.c")
JUDGED = ROOT / "tests/mutants/judged.txt"
LEAST = 90.0  # percent
TARGETS = ["tcpc", "tcp_host", "gen_plans", "random_plans", "random_ways", "test_driver_width_golden", "test_driver_tiled_golden",
           "test_sema_plan_run"]

LIT = [str(ROOT / ".venv/bin/lit"), "-q", "-j1", "--max-failures=1", "tests", "--filter"]
PLANS = ["bin/random_plans", "--seconds", "300", "--failures", "1", "--plans"]
# What is run, in this order, from the build folder.  The whole of it is a part of ./dev test.
SUITE = [
    ("random plans", PLANS + ["200", "--mutants", "300"]),
    ("lit: pass, kernel, explain", LIT + ["tcpc :: (pass|kernel|explain)/"]),
    ("unit tests", ["ctest", "--stop-on-failure", "-R", "unit.(driver|sema)|examples.golden"]),
    ("random ways", ["bin/random_ways", "--ways", "100", "--misses", "30"]),
    ("lit: sema, draw", LIT + ["tcpc :: (sema|draw|diag)/"]),
    ("more random plans", PLANS + ["800", "--mutants", "1500", "--first", "201"]),
]
# What is run only when some plan is compiled to another text than before: these tests look at the text, or run it.
TEXTS = ["examples/*/*.tcp", "tests/plans/*.tcp", "tests/emit/*.tcp", "tests/run/*.tcp", "tests/pass/*.tcp", "tests/ptx/*.tcp"]
LAST = [("lit: emit, plans, run, ptx", LIT + ["tcpc :: (emit|plans|run|ptx)/"])]
# What is run of a build with the sanitizers, for what the other one did not notice.
SANITIZED = [
    ("sanitizer: random plans", PLANS + ["100", "--mutants", "200"]),
    ("sanitizer: lit", LIT + ["tcpc :: (pass|kernel)/"]),
]
# Slow ones that look at the text of what is emitted, or are here in another form.
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=0:detect_leaks=0:hard_rss_limit_mb=4000:allocator_may_return_null=0",
    "UBSAN_OPTIONS": "halt_on_error=1",
    "LIT_FILTER_OUT": "nvcc.test|emit/format.test|emit/lines.test|emit/compile.test|random",
}

# Stands for the C++ compiler: most mutants change little of what is emitted, so that its output is kept by its inputs.
KEEPER = """#!/usr/bin/env bash
key= out= before=
for word; do
    if [ "$before" = -o ]; then out=$word
    elif [ -f "$word" ]; then key+=$(md5sum <"$word")
    else key+=" $word"
    fi
    before=$word
done
kept={folder}/$(md5sum <<<"$key" | cut -d' ' -f1)
if [ -n "$out" ] && [ -e "$kept" ]; then exec cp "$kept" "$out"; fi
{compiler} "$@" || exit
[ -z "$out" ] || {{ cp "$out" "$kept.$$" && mv "$kept.$$" "$kept"; }}
"""

stop = threading.Event()


def run(command, cwd, seconds, env=None):
    """Runs "command"; returns (exit status or None when the time was up, its output)."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    child = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**os.environ, **ENVIRONMENT, **(env or {})}, start_new_session=True, preexec_fn=limits)
    try:
        out, _ = child.communicate(timeout=seconds)
        return child.returncode, out.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        out, _ = child.communicate()
        return None, out.decode(errors="replace")


def keep_outputs():
    """Puts compilers that keep their outputs into the path of the tests."""
    folder = ROOT / "build-mutants/compilers"
    (folder / "kept").mkdir(parents=True, exist_ok=True)
    for name in ("c++", "g++"):
        compiler = shutil.which(name)
        if compiler and not compiler.startswith(str(folder)):
            (folder / name).write_text(KEEPER.format(folder=folder / "kept", compiler=compiler))
            (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


class Workplace:
    """A copy of the tree with builds of its own, and how long the tests take there when nothing is wrong."""

    def __init__(self, folder, path):
        self.path = {"PATH": path}
        self.src, self.build, self.sanitized = folder, folder / "build", folder / "build-asan"  # where tcpc finds the runtime
        self.seconds = {}

    def prepare(self):
        """Returns what fails although nothing was changed."""
        copy_tree(self.src)
        self.configure(self.build, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=-w")
        self.configure(self.sanitized, "-DCMAKE_BUILD_TYPE=Debug", "-DTCPC_SANITIZE=ON", "-DCMAKE_C_FLAGS=-w",
                       "-DCMAKE_C_FLAGS_DEBUG=-O1")
        self.texts = self.compile_all()
        for steps, folder in ((SUITE + LAST, self.build), (SANITIZED, self.sanitized)):
            for name, command in steps:
                begin = time.monotonic()
                status, out = run(command, folder, 900, self.path)
                if status != 0:
                    return f"'{name}' fails before anything was changed:\n{out[-3000:]}"
                self.seconds[name] = time.monotonic() - begin
        return None

    def configure(self, folder, *options):
        if not (folder / "build.ninja").exists():
            must(["cmake", "-S", str(self.src), "-B", str(folder), "-G", "Ninja", *options], self.src)
        must(["ninja", *TARGETS], folder)

    def compile_all(self):
        """What all plans are compiled to, and 200 random kernels."""
        status, random_plan = run(["bin/gen_plans", "7", "200"], self.build, 60)
        made = [str(status)]
        (self.build / "random.tcp").write_text(random_plan)
        for plan in [self.build / "random.tcp"] + [p for pattern in TEXTS for p in sorted(self.src.glob(pattern))]:
            status, out = run(["bin/tcpc", "-w", str(plan), "-o", "-"], self.build, 20)
            made.append(out if status is not None else "no end")
        return made

    def steps(self):
        """The folder and the command of each step; a build is a step without a name."""
        build = ["ninja", *TARGETS]
        yield "", self.build, build
        for name, command in SUITE:
            yield name, self.build, command
        if self.compile_all() != self.texts:
            yield LAST[0][0], self.build, LAST[0][1]
        yield "", self.sanitized, build
        for name, command in SANITIZED:
            yield name, self.sanitized, command

    def judge(self, mutant):
        """Returns (verdict, by what)."""
        path = self.src / mutant.path
        text = path.read_text()
        path.write_text(mutant.apply(text))
        try:
            for name, folder, command in self.steps():
                seconds = 20 + 6 * self.seconds[name] if name else 600
                status, _ = run(command, folder, seconds, self.path if name else {"CCACHE_DISABLE": "1"})
                if stop.is_set():
                    return "not run", ""
                if not name and status != 0:
                    return "did not compile", ""
                if status is None:
                    return "timeout", name
                if status != 0:
                    return "killed", name
            return "survived", ""
        finally:
            path.write_text(text)


def must(command, cwd):
    status, out = run(command, cwd, 1500)
    if status != 0:
        sys.exit(f"mutants: {' '.join(command)} failed:\n{out[-3000:]}")


def copy_tree(to):
    """Copies what git knows or does not ignore, and only what changed, so that little is built anew."""
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
                           text=True).stdout.split("\0")
    kept = set()
    for name in filter(None, names):
        source, copy = ROOT / name, to / name
        if not source.is_file():
            continue
        kept.add(copy)
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
        shutil.copymode(source, copy)
    for copy in [p for p in to.rglob("*") if p.is_file() and p not in kept and not p.relative_to(to).parts[0].startswith("build")]:
        copy.unlink()


def read_judged():
    """The verdicts by key: blocks of a path, the line before and after, and "= verdict" with its reason."""
    judged, path, before, after = {}, None, None, None
    for line in JUDGED.read_text().splitlines() if JUDGED.exists() else []:
        if line.startswith("- "):
            before = line[2:]
        elif line.startswith("+ "):
            after = line[2:]
        elif line.startswith("= "):
            judged[(path, before, after)] = line[2:]
        elif line.startswith("compiler/"):
            path = line.strip()
    return judged


def sample(options):
    every = []
    for pattern in SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            name = str(path.relative_to(ROOT))
            if re.search(options.only, name):
                every += mutants_of(name, path.read_text())
    if options.again:
        wanted = {(m["path"], m["before"], m["after"]) for m in json.loads(pathlib.Path(options.again).read_text())
                  if m["verdict"] == "survived"}
        return [m for m in every if m.key() in wanted], len(every)
    random.Random(options.seed).shuffle(every)
    return every[:options.count], len(every)


def show(mutant, verdict):
    print(f"{mutant.path}:{mutant.line}: {mutant.rule}\n  - {mutant.before}\n  + {mutant.after}")
    print(f"  = {verdict}" if verdict else "  = not judged yet", flush=True)


def main():
    parser = argparse.ArgumentParser(add_help=False)
    for name, kind, default in (("seed", int, 1), ("count", int, 100), ("jobs", int, max(1, (os.cpu_count() or 2) // 2)),
                                ("only", str, ""), ("report", str, "build-mutants/report.json"), ("again", str, None)):
        parser.add_argument("--" + name, type=kind, default=default)
    for name in ("list", "help"):
        parser.add_argument("--" + name, action="store_true")
    options = parser.parse_args()
    if options.help:
        print(__doc__)
        return 0
    mutants, population = sample(options)
    if options.list:
        for m in mutants:
            print(f"{m.path}:{m.line}: {m.rule}\n  - {m.before}\n  + {m.after}")
        return 0

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    (ROOT / "build-mutants").mkdir(exist_ok=True)
    lock_file = open(ROOT / "build-mutants/lock", "w")
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("mutants: another run works in build-mutants")
    begin = time.monotonic()
    places, path = queue.Queue(), keep_outputs()
    results, lock = [], threading.Lock()

    def prepare(i):
        place = Workplace(ROOT / "build-mutants" / f"job{i}", path)
        why = place.prepare()
        if not why:
            places.put(place)
        times = ", ".join(f"{name} {t:.1f} s" for name, t in place.seconds.items())
        with lock:
            print(f"job {i}: {why or 'when nothing is wrong: ' + times}", flush=True)
        return why

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:  # side by side, so that the times are those of a run
        if any(list(pool.map(prepare, range(min(options.jobs, len(mutants)))))):
            return 2

    def work(mutant):
        if stop.is_set():
            return
        place = places.get()
        since = time.monotonic()
        verdict, by = place.judge(mutant)
        places.put(place)
        with lock:
            results.append((mutant, verdict))
            print(f"{len(results):4}/{len(mutants)} {verdict:16} {by:28} {time.monotonic() - since:5.1f} s  "
                  f"{mutant.path}:{mutant.line} {mutant.rule}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(work, mutants))
    results.sort(key=lambda r: (r[0].path, r[0].begin, r[0].new))
    write_report(ROOT / options.report, results)
    return conclude(results, population, options, time.monotonic() - begin)


def write_report(path, results):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([{"path": m.path, "line": m.line, "rule": m.rule, "before": m.before, "after": m.after,
                                 "verdict": verdict} for m, verdict in results], indent=1))


def conclude(results, population, options, seconds):
    judged = read_judged()
    verdicts = [verdict for _, verdict in results]
    killed, timeouts, survived = (verdicts.count(v) for v in ("killed", "timeout", "survived"))
    print("\nsurvivors:" if survived else "\nno survivors")
    unknown = 0
    for mutant, verdict in results:
        if verdict == "survived":
            show(mutant, judged.get(mutant.key()))
            unknown += mutant.key() not in judged
    counted = killed + timeouts + survived
    share = 100.0 * (killed + timeouts) / max(counted, 1)
    print(f"\n{counted} mutants of {population} (seed {options.seed}): {killed + timeouts} killed ({timeouts} by time), {survived} "
          f"survived ({unknown} not judged), {verdicts.count('did not compile')} more did not compile; {share:.1f}% killed, "
          f"{seconds:.0f} s")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
