#!/usr/bin/env python3
"""Random plans against tcpc, with judges by brute force that share nothing with it.

usage: run.py coverage|order|uninit [--count N] [--seed S] [--tcpc FILE] [-j JOBS] [--keep FOLDER] [--at INDEX] [--most-refused PERCENT]
              [--least-judged N] [--far N]

Plan INDEX of seed S is the same whatever the count.  A plan that is wrong and compiles, a false witness, a crash and more than 2 s are
failures; what is right and is refused is counted by class.  With --keep each failing plan is written into FOLDER, and the smallest
plan of each class of what is refused.  With --at that one plan is printed, with what the judge and tcpc say.  With --far the ranges of
params end at numbers up to 2^62 in one of N plans.
"""

import argparse
import collections
import json
import multiprocessing
import pathlib
import random
import re
import resource
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import witness
from kinds import KINDS

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 2.0  # seconds of a compile
FAR = (2**31 - 1, 2**31, 2**32 + 1, 2**40 + 1, 2**48, 2**61 - 1, 2**62 - 1, 2**62)
# What is refused for another reason than a promise of coverage, order or definedness.
OTHER = re.compile(
    r"is expected|may be 0; it has to|not yet supported: (?!kernel '\w+' writes one tensor)|no values of the params"
    r"|needs \d+ threads|syntax|expected .* here|nested more than|bytes of shared memory|is too large|is outside a mode of extent|lies outside: along this mode"
    r"|an atom alone copies|which never writes it|blocks; \d+ .. \d+ are possible|is not a positive integer|may not fit \d+ bits"
)

# What makes one class of many messages.
LONG = (
    r"(coordinate along mode \d+ is) [^[]*",
    r"(ends at) .*, and",
    r"(of extent) .*?, kernel",
    r"(writes) .* from .* on",
    r"(its layout) .* are",
)


def compile_plan(tcpc, text):
    """(exit status or None, what it said, seconds of processor time)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([tcpc, "-w", "-", "-o", "/dev/null"], input=text, capture_output=True, text=True, timeout=5 * LIMIT)
        status, said = done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        status, said = None, "out of time"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, said, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def class_of(said):
    """The first error without names and numbers."""
    m = re.search(r"error: (.*)", said)
    text = m[1] if m else said.strip().split("\n")[0]
    text = re.sub(r"'[^']*'", "'_'", text)
    for pattern in LONG:
        text = re.sub(pattern, r"\1 _ ..", text)
    return re.sub(r"\d+(,\d+)*", "#", re.sub(r"\b\w+ = -?\d+(, )?", "", text))[:150]


def end_far(plan, rng):
    """Lets the ranges that end above 50 end much further; what is right or wrong of small values stays so."""
    for p in plan.params:
        if p.hi > 50:
            far = rng.choice(FAR)
            p.hi = far - far % p.mod


def try_plan(work):
    """Everything about one plan, as a tuple of plain values."""
    kind, seed, index, tcpc, show, far = work
    make, judge, judge_witness = KINDS[kind]
    rng = random.Random(f"{seed} {kind} {index}")
    plan, spoilt = make(rng)
    if far and index % far == 0:
        end_far(plan, random.Random(f"{seed} far {index}"))
    verdict = judge(plan, rng)
    text = plan.text()
    status, said, seconds = compile_plan(tcpc, text)
    judged = []
    if status == 1:
        judged = [(judge_witness(plan, verdict, k, groups), line) for k, groups, line in witness.read(said)]
    if verdict.fault:
        truth = "wrong"
    elif verdict.tried == 0:
        truth = "nothing tried"
    elif spoilt and not verdict.every:
        truth = "wrong" if any(ok for ok, _ in judged) else "perhaps"
    else:
        truth = "right"
    failures = []
    if status is None or seconds > LIMIT:
        failures.append("out of time")
    elif status not in (0, 1):
        failures.append("crash")
    if truth == "wrong" and status == 0:
        failures.append("wrong compiled")
    if any(ok is False for ok, _ in judged):
        failures.append("false witness")
    reason = class_of(said) if status == 1 else ""
    other = status == 1 and bool(OTHER.search(said))
    fault = f"{verdict.fault.text()} with {verdict.values}" if verdict.fault else ""
    if show:
        print(text + f"// {plan.family}: {truth} {fault}; tcpc: {status} {said}\n{judged}")
    return index, truth, status, other, reason, seconds, failures, [ok for ok, _ in judged], fault, plan.family, text


class Summary:
    """What came out, counted."""

    def __init__(self, kind, keep):
        self.kind, self.keep = kind, keep
        self.truths, self.refused, self.witnesses = collections.Counter(), collections.Counter(), collections.Counter()
        self.failures, self.classes, self.smallest = collections.Counter(), collections.Counter(), {}
        self.slowest = self.slow = 0
        self.right_families, self.refused_families = collections.Counter(), collections.Counter()

    def add(self, result):
        index, truth, status, other, reason, seconds, failures, witnesses, fault, family, text = result
        self.truths[truth] += 1
        self.slowest = max(self.slowest, seconds)
        self.slow += seconds > 1
        self.witnesses.update(witnesses)
        if status == 1:
            self.refused["other" if other and truth != "wrong" else truth] += 1
        if truth == "right":
            self.right_families.update(family.split())
        if truth == "right" and status == 1:
            key = ("other reason: " if other else "") + reason
            self.classes[key] += 1
            self.refused_families.update(family.split())
            if key not in self.smallest or len(text) < len(self.smallest[key][1]):
                self.smallest[key] = index, text, family
        for f in failures:
            self.failures[f] += 1
            if self.keep:
                name = f"{self.kind}-{f.replace(' ', '-')}-{index}.tcp"
                (self.keep / name).write_text(f"// {f}: {fault or truth}; {family}\n{text}")

    def line(self, seconds):
        right, n = self.truths["right"], sum(self.truths.values())
        refused = self.refused["right"]
        share = 100 * refused / max(1, right)
        return (
            f"{self.kind}: {n} plans in {seconds:.0f} s, {self.truths['wrong']} wrong, {right} right, "
            f"{self.truths['perhaps']} perhaps right; {self.failures['wrong compiled']} wrong compiled; "
            f"{refused} right refused, {share:.1f} %, in {len(self.classes)} classes; "
            f"{self.refused['other']} refused for another reason; {self.refused['perhaps']} perhaps right refused; "
            f"{sum(self.witnesses.values())} witnesses, {self.witnesses[False]} false, {self.witnesses[None]} not judged; "
            f"{self.failures['crash']} crashes, {self.failures['out of time']} out of time; "
            f"compiles took at most {self.slowest:.2f} s, {self.slow} over 1 s"
        )

    def tell(self, seconds, verbose):
        print(self.line(seconds))
        if verbose:
            for key, n in self.classes.most_common():
                index, text, family = self.smallest[key]
                print(f"{n:6} {key}\n       smallest: plan {index} ({family})")
            told = [(self.refused_families[f] / n, f, n) for f, n in self.right_families.items() if n > 5]
            print("right refused by family: " + ", ".join(f"{f} {100 * q:.0f} % of {n}" for q, f, n in sorted(told, reverse=True)))
        if self.keep:
            for i, (key, n) in enumerate(self.classes.most_common()):
                index, text, family = self.smallest[key]
                (self.keep / f"{self.kind}-refused-{i:02}.tcp").write_text(f"// {n} times: {key}; plan {index}; {family}\n{text}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("kind", choices=list(KINDS))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--tcpc", type=pathlib.Path, default=ROOT / "build/bin/tcpc")
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--at", type=int)
    parser.add_argument("--most-refused", type=float, help="fails when more per cent of the plans that are right are refused")
    parser.add_argument("--least-judged", type=int, default=0, help="fails when fewer witnesses were judged")
    parser.add_argument("--far", type=int, help="one of so many plans has params that reach up to 2^62")
    parser.add_argument("--texts", action="store_true", help="only print the plans, as a list of JSON")
    parser.add_argument("--brief", action="store_true", help="the summary line alone")
    given = parser.parse_args()
    tcpc = str(given.tcpc.resolve())
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    summary = Summary(given.kind, given.keep)
    if given.at is not None:
        try_plan((given.kind, given.seed, given.at, tcpc, True, given.far))
        return 0
    if given.texts:
        texts = [KINDS[given.kind][0](random.Random(f"{given.seed} {given.kind} {i}"))[0].text() for i in range(given.count)]
        print(json.dumps(texts))
        return 0
    work = ((given.kind, given.seed, i, tcpc, False, given.far) for i in range(given.count))
    with multiprocessing.Pool(given.jobs) as pool:
        for result in pool.imap(try_plan, work, chunksize=20):
            summary.add(result)
    summary.tell(time.monotonic() - began, not given.brief)
    refused = 100 * summary.refused["right"] / max(1, summary.truths["right"])
    judged = summary.witnesses[True] + summary.witnesses[False]
    too_much = given.most_refused is not None and refused > given.most_refused
    return 1 if summary.failures or too_much or judged < given.least_judged else 0


if __name__ == "__main__":
    sys.exit(main())
