"""Do the tests notice when the passes, proofs, costs, planner, Kernel IR or emission change?  This tool changes one place of the sources
at a time, by rule (c_mutants.py), and builds each mutant.  It runs the quick tests on all mutants first.  The mutants that pass them
get all other tests, and at last some tests under the sanitizers.  The tests of a mutant stop at the first one that fails.

usage: mutants.py [--seed S] [--count N] [--jobs J] [--seconds T] [--only REGEX] [--skip REGEX] [--report FILE] [--again FILE]
                  [--quick] [--list | --stale]

--seed     the sample to draw (default 1)               --count   how many mutants (default 100)
--jobs     how many at a time, each with its own copy of the build (default: one for two cores)
--seconds  stop after this time, and report the verdicts so far
--only     only mutants of files whose path matches     --skip    leave out tests of lit and ctest whose names match
--again    only mutants that survived in a report, or have no verdict there
--report   the file for the results (default build-mutants/report.json); it is rewritten after each verdict
--quick    only the quick tests.  A mutant that passes them counts as survived, so the share is a lower bound
--list     print the sample, and run nothing
--stale    print the verdicts of judged.txt about mutants that no longer exist in the sources, and run nothing

Two kinds of mutants are not counted: those that do not compile, and those whose object file with -O2 is the same, byte for byte, so no
input can distinguish them.  A mutant that runs out of time or memory counts as killed, and is marked.  A mutant survives if it passes
every test.  If the time ends before that is known, its verdict is "no time", and it is not counted.  Survivors in
tests/mutants/judged.txt are listed with the verdict there.  Those that it calls equivalent change nothing that a plan can show, and are
not counted.  The exit status is 0 if 90% of the mutants that change something are killed.
"""

import argparse
import fcntl
import json
import os
import pathlib
import queue
import random
import re
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from c_mutants import Mutant, mutants_of  # noqa: E402
from mutant_place import BUILDS, HOME, MODULES, ROOT, Base, Place, keep_outputs  # noqa: E402

FOLDERS = ("pass", "pass/*", "kernel", "lower", "machine", "check", "prove", "cost", "planner", "emit")
SOURCES = [f"compiler/{folder}/*.c" for folder in FOLDERS]
JUDGED = ROOT / "tests/mutants/judged.txt"
EQUIVALENT = "equivalent"  # so begins the verdict of what no plan can tell
SAME = "same object"  # the verdict where the optimizer makes the same code of both
LEAST = 90.0  # percent, of those that change something


STOP = ("--max-failures=1", "--stop-on-failure")  # words of commands


@dataclass(frozen=True)
class Step:
    name: str
    build: str
    command: tuple  # of lit and ctest, the last word is what is left out

    def without(self, skip):
        named = skip and self.command[0].endswith(("lit", "ctest"))
        return replace(self, command=(*self.command[:-1], f"{self.command[-1]}|{skip}")) if named else self

    def to_the_end(self):
        return replace(self, command=tuple(word for word in self.command if word not in STOP))


def lit(name, tests, out=None, build="build"):
    """The lit tests whose names begin so, and that do not match "out"."""
    return Step(f"lit: {name}", build,
                (str(ROOT / ".venv/bin/lit"), "-q", "-j1", STOP[0], "--order=lexical", "--allow-empty-runs", "tests",
                 "--filter", f"^tcpc :: {tests}", "--filter-out", f"{out}|{DEVICE}" if out else DEVICE))


def unit(name, tests, build="build"):
    return Step(f"ctest: {name}", build, ("ctest", STOP[1], "-R", f"^({tests})", "-E", "^$"))


def plans(first, count, build="build"):
    return Step(f"{count} random plans" + ", sanitizers" * ("asan" in build), build,
                ("bin/random_plans", "--seconds", "300", "--failures", "1", "--first", str(first), "--plans", str(count),
                 "--mutants", str(count * 3 // 2)))


DEVICE = "nvcc|gpu|:: ptx/"
SLOW = "cost/swizzle-auto|async/(edges|mutants|prologue|zfill)|explain/usage|sema/(err-tile-2|formals|types|views_run)"
# What every mutant goes through, in this order: what notices most in the least time comes first.
QUICK = [
    plans(1, 100),
    Step("random order", "build", ("bin/random_sync", "--plans", "60", "--mutants", "20", "--seconds", "60")),
    lit("pass, kernel, sema", "(pass|kernel|explain|async|sema|cost|count)/", SLOW),
    Step("random ways", "build", ("bin/random_ways", "--ways", "100", "--misses", "30")),
    unit("passes, golden", f"unit.({'|'.join(MODULES)})|examples.golden"),
    plans(101, 200),
    unit("proofs, widths, costs", "prove|plans.wide|cost.judge"),
    lit("prove, relayout", "(prove/attacks|relayout/(cost|ragged))"),
    Step("random relayouts, judged", "build", (sys.executable, "../tests/relayout/relayouts.py", "bin/tcpc", "--random", "200", "--judged", "--seed", "1")),
    Step("outputs.golden", "build", (sys.executable, "../tests/tools/outputs.py", "--first", "-j1", "bin/tcpc", "bin/gen_plans")),
]
# What those go through that are left, in this order: with it, all tests of programs that hold the passes, but for those that
# need nvcc or a GPU, and that of speed; and some under the sanitizers.
FULL = [
    lit("plans, draw, diag", "(plans|draw|diag)/"),
    lit("emit", "emit/"),
    unit("docs", "docs|draw"),
    lit("run", "run/", "run/(pad|random|tails)"),
    lit("slow ones of these", f"({SLOW})"),
    unit("random", "random"),
    lit("driver and others", "(?!(async|cost|count|diag|draw|emit|explain|kernel|pass|plans|prove/attacks|run|sema)/)"),
    lit("slow ones of run", "run/(pad|random|tails)"),
    plans(301, 700),
    plans(1, 100, "build-asan"),
    unit("machine, sanitizers", "unit.(machine|check)", "build-asan"),
    lit("pass, sanitizers", "(pass|kernel)/", build="build-asan"),
]


@dataclass
class Case:
    """What is known of a mutant."""
    mutant: Mutant
    verdict: str = ""
    by: str = ""
    seconds: float = 0.0  # of one job
    passed: list = field(default_factory=list)
    begun: threading.Event = field(default_factory=threading.Event)  # set when the quick steps are done


class Run:
    """A queue of work: the steps where nothing is wrong, the quick steps of each mutant, each other step of each mutant."""

    def __init__(self, mutants, places, options):
        self.cases = [Case(m) for m in mutants]
        self.places, self.options = places, options
        self.stop, self.lock = threading.Event(), threading.Lock()
        self.limits, self.failed, self.done = {}, [], 0
        self.first, self.then = ([step.without(options.skip) for step in steps]
                                 for steps in (QUICK, () if options.quick else FULL))
        self.work = queue.PriorityQueue()
        for i, step in enumerate(self.first + self.then[::-1]):
            self.work.put((0, i, 0, None, step))
        # The verdicts come about in the sample's order, so that those of a run that ends early are of its first mutants, and
        # not of those that are killed soonest.
        ahead = 2 * len(places)
        for i, case in enumerate(self.cases):
            self.work.put((1, i, -1, case, None))
            for j, step in enumerate(self.then):
                self.work.put((1, i + ahead, j, case, step))

    def all(self, begin):
        if self.options.seconds:
            clock = threading.Timer(max(0.0, begin + self.options.seconds - time.monotonic()), self.stop.set)
            clock.daemon = True
            clock.start()
        threads = [threading.Thread(target=self.worker, args=(place,)) for place in self.places]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    def worker(self, place):
        while not self.stop.is_set():
            try:
                _, _, _, case, step = self.work.get_nowait()
            except queue.Empty:
                return
            if case is None:
                self.measure(place, step)
            elif self.failed:
                return
            elif step is None:
                self.quick(place, case)
            else:
                case.begun.wait()
                self.attempt(place, case, step)

    def measure(self, place, step):
        """How long a step takes when nothing is wrong, and whether it passes then."""
        begin = time.monotonic()
        place.hold(step.build, None, self.stop.is_set)
        status = place.run(step.to_the_end(), 900, self.stop.is_set)
        seconds = time.monotonic() - begin
        with self.lock:
            if status is None and self.stop.is_set():
                return
            self.limits[step.name] = 20 + 6 * seconds
            print(f"when nothing is wrong: {seconds:6.1f} s  {step.name}", flush=True)
            if status != 0:
                self.failed.append(step.name)
                log = place.log.read_text(errors="replace")
                print(f"'{step.name}' fails before anything was changed:\n{log[-3000:]}", flush=True)

    def quick(self, place, case):
        if place.same(case.mutant):
            with self.lock:
                case.verdict = SAME
                self.done += 1
                self.line(case, SAME, "")
                write_report(ROOT / self.options.report, self.cases)
        for step in self.first:
            self.attempt(place, case, step)
        case.begun.set()
        if len(case.passed) == len(self.first) and self.then:
            with self.lock:
                self.line(case, "passes", "the quick tests")

    def attempt(self, place, case, step):
        """Runs a step for a mutant, unless the verdict is known."""
        given_up = lambda: bool(self.stop.is_set() or self.failed or case.verdict)
        begin = time.monotonic()
        if given_up():
            return
        verdict = None
        if not place.hold(step.build, case.mutant, given_up):
            verdict = "did not compile"
        else:
            status = place.run(step, self.limits.get(step.name, 900), given_up)
            if status is None:
                verdict = "timeout"
            elif status != 0:
                verdict = "killed"
        with self.lock:
            case.seconds += time.monotonic() - begin
            if given_up():
                return
            if not verdict:
                case.passed.append(step.name)
                if len(case.passed) < len(self.first + self.then):
                    return
                verdict = "survived"
            case.verdict, case.by = verdict, "" if verdict == "survived" else step.name
            self.done += 1
            self.line(case, verdict, case.by)
            write_report(ROOT / self.options.report, self.cases)

    def line(self, case, verdict, by):
        m = case.mutant
        print(f"{self.done:4}/{len(self.cases)} {verdict:16} {by:26} {case.seconds:6.1f} s  {m.path}:{m.line} {m.rule}",
              flush=True)


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


def all_mutants(only):
    every = []
    for pattern in SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            name = str(path.relative_to(ROOT))
            if re.search(only, name):
                every += mutants_of(name, path.read_text())
    return every


def show_stale():
    """Prints the verdicts on mutants that are no more; returns their number."""
    judged, known = read_judged(), {m.key() for m in all_mutants("")}
    stale = [key for key in judged if key not in known]
    for path, before, after in stale:
        print(f"{path}\n- {before}\n+ {after}\n= {judged[(path, before, after)]}")
    print(f"{len(judged)} verdicts, {len(stale)} stale")
    return len(stale)


def sample(options):
    every = all_mutants(options.only)
    if options.again:
        wanted = {(m["path"], m["before"], m["after"]) for m in json.loads(pathlib.Path(options.again).read_text())
                  if m["verdict"] in ("survived", "no time")}
        return [m for m in every if m.key() in wanted], len(every)
    random.Random(options.seed).shuffle(every)
    return every[:options.count], len(every)


def show(mutant, note):
    print(f"{mutant.path}:{mutant.line}: {mutant.rule}\n  - {mutant.before}\n  + {mutant.after}")
    if note:
        print(f"  = {note}", flush=True)


def write_report(path, cases):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"number": i, "path": c.mutant.path, "line": c.mutant.line, "rule": c.mutant.rule, "before": c.mutant.before,
             "after": c.mutant.after, "verdict": c.verdict or "no time", "by": c.by, "seconds": round(c.seconds, 1),
             "passed": c.passed if c.verdict in ("", "survived") else []} for i, c in enumerate(cases)]
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(rows, indent=1))
    fresh.replace(path)


def conclude(cases, population, options, seconds):
    judged = read_judged()
    whole = next((i for i, c in enumerate(cases) if not c.verdict), len(cases))
    cases = sorted(cases, key=lambda c: (c.mutant.path, c.mutant.begin, c.mutant.new))
    verdicts = [c.verdict for c in cases]
    killed, timeouts, survived, unknown = (verdicts.count(v) for v in ("killed", "timeout", "survived", ""))
    print("\nsurvivors:" if survived else "\nno survivors")
    for case in cases:
        if case.verdict == "survived":
            show(case.mutant, judged.get(case.mutant.key(), "not judged yet"))
    begun = [c for c in cases if not c.verdict and c.passed]
    if begun:
        print("\nnot judged for want of time, and noticed by none of the tests so far:")
    for case in begun:
        show(case.mutant, f"passed {len(case.passed)} of {len(QUICK + FULL)} steps")
    known = [judged.get(c.mutant.key()) for c in cases if c.verdict == "survived"]
    equivalent = sum(verdict is not None and verdict.startswith(EQUIVALENT) for verdict in known)
    counted = killed + timeouts + survived
    share = 100.0 * (killed + timeouts) / max(counted - equivalent, 1)
    print(f"\n{counted} mutants of {population} (seed {options.seed}): {killed + timeouts} killed ({timeouts} by time), {survived} "
          f"survived, {verdicts.count('did not compile')} more did not compile, {verdicts.count(SAME)} are the same object, {unknown} had no time; {seconds:.0f} s\n"
          f"the first {whole} of the sample all have a verdict\n"
          f"{killed + timeouts} killed of {counted - equivalent} that change something ({share:.1f}%), {equivalent} equivalent, "
          f"{known.count(None)} survivors not judged", flush=True)
    return 0 if share >= LEAST else 1


def options_of():
    parser = argparse.ArgumentParser(add_help=False)
    for name, kind, default in (("seed", int, 1), ("count", int, 100), ("jobs", int, max(1, (os.cpu_count() or 2) // 2)),
                                ("only", str, ""), ("report", str, "build-mutants/report.json"), ("again", str, None),
                                ("seconds", float, 0.0), ("skip", str, "")):
        parser.add_argument("--" + name, type=kind, default=default)
    for name in ("quick", "list", "stale", "help"):
        parser.add_argument("--" + name, action="store_true")
    return parser.parse_args()


def main():
    options = options_of()
    if options.help:
        print(__doc__)
        return 0
    if options.stale:
        return 1 if show_stale() else 0
    mutants, population = sample(options)
    if options.list:
        for m in mutants:
            show(m, None)
        return 0
    HOME.mkdir(exist_ok=True)
    lock_file = open(HOME / "lock", "w")
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("mutants: another run works in build-mutants")
    begin = time.monotonic()
    base, path = Base(), keep_outputs()
    base.prepare([b for b in BUILDS if b == "build" or not options.quick])
    print(f"built in {time.monotonic() - begin:.1f} s", flush=True)
    with ThreadPoolExecutor() as pool:
        places = list(pool.map(lambda i: Place(base, i, path), range(options.jobs)))
    print(f"{len(places)} places after {time.monotonic() - begin:.1f} s", flush=True)
    run = Run(mutants, places, options)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: run.stop.set())
    run.all(begin)
    if run.failed:
        return 2
    write_report(ROOT / options.report, run.cases)
    return conclude(run.cases, population, options, time.monotonic() - begin)


if __name__ == "__main__":
    sys.exit(main())
