#!/usr/bin/env python3
"""Compares tcpc with the judge on random plans: run.py --plans N --seed S.

Each plan is judged at several params.  What is right everywhere is compiled by tcpc and by a C++ compiler, many plans at once, and
run on the host under all schedules, and every byte of every tensor is compared with what the judge says.  What breaks a rule
somewhere within its promises has to be refused.  Fails when an output is wrong, the host reports an error, a text does not
compile, or a wrong plan does.  Plans that tcpc refuses and the judge finds right are counted by message.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import traceback

import numeric
from boxes import Boxes
from ends import Ends
from far import Far
from halos import Halos
from devices import caller, draw, judge_devices, owed
from judge import Breach, Kernel, TooLarge, Unsupported
from moves import Joined
from parse import ParseError
from plan import BITS, Plan
from stores import Stores

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LAUNCHER = re.compile(r"TCP_EXTERN_C tcp_status (\w+)_launch\((.*?)\)\s*\{", re.S)
CASES = 5           # choices of params for each plan
KINDS = {"all": None, "blocks": lambda seed, index: (Boxes, Stores)[index % 2](seed, index), "boxes": Boxes, "ends": Ends, "far": Far, "halos": Halos, "stores": Stores}
MOST_ELEMENTS = 1 << 22  # of a tensor
SECONDS = 120       # for one batch's program


class Job:
    """One plan on its way: "cases" are (params, Verdict), "breach" the (params, rule) that makes it wrong."""

    def __init__(self, index, drawn):
        self.index, self.drawn, self.cases, self.breach, self.skipped = index, drawn, [], None, None
        self.refused, self.emitted, self.error, self.aligns = None, None, None, {}


# -- choosing params -------------------------------------------------------------------------------------------------------------


def choices(plan, tries, r):
    """Yields choices of all params that keep the promises: first the numbers worth trying, then others."""
    if not plan.params:
        yield {}
        return
    seen = set()
    for attempt in range(60):
        params = {}
        for name, p in plan.params.items():
            likely = tries.get(name) or [1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33]
            value = r.choice(likely) if attempt % 4 else r.choice([p.low, min(p.low + p.multiple, p.high)] + likely)
            value = max(value, p.low)
            value = -(-value // p.multiple) * p.multiple
            params[name] = value - p.multiple if value > p.high else value
        for _ in range(8):  # relations often want one of two to be larger
            if plan.keeps(params):
                break
            name = r.choice(list(params))
            params[name] += plan.params[name].multiple * r.choice([1, 1, 2, 8])
        key = tuple(params.values())
        if key in seen or not plan.keeps(params):
            continue
        seen.add(key)
        yield params


def judge_all(job, r):
    """Judges the plan at several params; fills in what was found."""
    try:
        plan = Plan(job.drawn.meant or job.drawn.text)
        budget = 0
        for params in choices(plan, job.drawn.tries, r):
            try:
                device = job.drawn.device
                verdict = judge_devices(plan, job.drawn, params) if device else Kernel(plan, job.drawn.kernel, params).run()
            except Breach as e:
                job.breach = (params, str(e))
                return
            except TooLarge:
                job.skipped = "too large"
                continue
            if max(verdict.sizes.values(), default=0) > MOST_ELEMENTS:
                job.skipped = "too large"
                continue
            job.cases.append((params, verdict))
            budget += verdict.moved
            if len(job.cases) == CASES or budget > 40_000:
                break
        if not job.cases:
            job.skipped = job.skipped or "no params keep the promises"
    except Breach as e:
        job.breach = ({}, str(e))
    except Unsupported as e:
        job.skipped = f"not read: {e}"
    except ParseError as e:
        job.skipped = f"no plan: {e}"
    except Exception:  # the judge itself is wrong
        job.skipped, job.error = "the judge fails", traceback.format_exc()


# -- cases for the host ----------------------------------------------------------------------------------------------------------


def element_bits(element, inputs, verdict_types, target):
    """The bits of what an element of a "target" tensor becomes."""
    if isinstance(element, Joined):
        bits = inputs[element.tensor][element.at]
        for part in element.parts:
            bits = numeric.joined(element.joins, target, bits, element_bits(part, inputs, verdict_types, target))
        return bits
    where, what, types = element
    if where is None:
        bits = numeric.constant(types[0], what)
        at = types[0]
        types = types[1:]
    else:
        bits, at = inputs[where][what], verdict_types[where]
    for to in types:
        bits = numeric.convert(at, to, bits)
        at = to
    assert at == target
    return bits


def case_bytes(number, signature, params, verdict, schedule, aligns, r):
    """One case as host.cpp reads it."""
    pointers, names = signature
    bufs = [verdict.tensors[name] for name in pointers]
    before, inputs = {}, {}
    for buf in verdict.tensors.values():
        width, count = BITS[buf.element] // 8, verdict.sizes[buf.name]
        before[buf.name] = r.randbytes(width * count)
        raw = before[buf.name]
        inputs[buf.index] = [int.from_bytes(raw[i:i + width], "little") for i in range(0, len(raw), width)]
    types = {buf.index: buf.element for buf in bufs}
    out = [struct.pack("<3q", number, schedule, len(names)), struct.pack(f"<{len(names)}q", *(params[n] for n in names)),
           struct.pack("<q", len(bufs))]
    for buf in bufs:
        width, raw = BITS[buf.element] // 8, before[buf.name]
        after = raw
        if buf.name in verdict.outputs:
            changed = bytearray(raw)
            for at, element in verdict.outputs[buf.name].items():
                bits = element_bits(element, inputs, types, buf.element)
                changed[at * width:(at + 1) * width] = bits.to_bytes(width, "little")
            after = bytes(changed)
        name = buf.name.encode()
        out += [struct.pack("<4q", aligns[buf.name], width, len(raw), len(name)), name, raw, after]
    return b"".join(out)


def signature_of(text, kernel):
    """What a launcher takes: the C types of its pointers, their names, and the names of its params."""
    for name, args in LAUNCHER.findall(text):
        if name == kernel:
            args = [a.strip() for a in " ".join(args.split()).split(",")][:-1]
            pairs = [re.match(r"(.*?)(\w+)$", a).groups() for a in args]
            return [(kind.strip(), n) for kind, n in pairs if "*" in kind], [n for kind, n in pairs if "*" not in kind]
    raise ValueError(f"no launcher of {kernel}")


def glue(jobs):
    """The table of launchers of a batch."""
    out = []
    for i, job in enumerate(jobs):
        pointers, params = job.signature
        args = [f"({kind})p[{k}]" for k, (kind, _) in enumerate(pointers)] + [f"v[{k}]" for k in range(len(params))]
        out.append(f"static tcp_status call_{i}(void **p, const int64_t *v) {{ (void)p; (void)v; "
                   f"return {job.drawn.kernel}_launch({', '.join(args + ['nullptr'])}); }}")
    return "\n".join(out + ["typedef tcp_status judge_launcher(void **tensors, const int64_t *params);",
                            "extern judge_launcher *const judge_launch[];", "judge_launcher *const judge_launch[] = {"
                            + ", ".join(f"call_{i}" for i in range(len(jobs))) + "};"])


# -- a batch ---------------------------------------------------------------------------------------------------------------------


def compile_plan(options, folder, job):
    """Has tcpc compile the plan; notes the emitted text, or the message."""
    path = os.path.join(folder, f"p{job.index}.tcp")
    with open(path, "w") as f:
        f.write(job.drawn.text)
    out = path[:-4] + ".cu"
    try:
        form = ["--emit=header"] if job.drawn.device else []
        p = subprocess.run([options.tcpc, "-w", path, *form, "-o", out], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        job.refused = "tcpc does not end within 60 s"
        return
    if p.returncode == 0:
        with open(out) as f:
            job.emitted = f.read()
        if job.drawn.device:
            job.aligns, multiples = owed(job.emitted)
            job.cases = [(p, v) for p, v in job.cases if all(p[name] % n == 0 for name, many in multiples.items() for n in many)]
            job.emitted = caller(job.drawn, job.emitted)
            with open(out, "w") as f:
                f.write(job.emitted)
        job.signature = signature_of(job.emitted, job.drawn.kernel)
        return
    first = next((line for line in p.stderr.splitlines() if "error:" in line), p.stderr[:200] or f"status {p.returncode}")
    job.refused = first.split("error: ", 1)[-1]
    if p.returncode != 1:
        job.refused = f"status {p.returncode}: " + job.refused


def message_class(message):
    """A message without its names and numbers."""
    message = re.sub(r"(cannot use \d+-bit accesses).*?(\[|$)", r"\1 \2", message)
    message = re.sub(r"'[^']*'", "'..'", re.sub(r"'s\b", "s", message))
    message = re.sub(r"greatest coordinate along mode \d+ is .*?, the extent is .*?( \[|$)", "greatest coordinate\\1", message)
    return re.sub(r"\d+", "N", message)[:110]


def build(options, folder, jobs, name):
    """Compiles the emitted texts of "jobs" into one program; returns its path, or None and the compiler's words."""
    source, program = os.path.join(folder, name + ".cpp"), os.path.join(folder, name)
    with open(source, "w") as f:
        for job in jobs:
            f.write(f'#include "p{job.index}.cu"\n')
        f.write(glue(jobs))
        f.write(f'\n#include "{HERE}/host.cpp"\n')
    words = [options.cxx, "-std=c++17", "-O" + options.level, "-w", f"-I{options.runtime}", f"-I{folder}", source, "-o", program]
    # a sum that overflows ends the program
    words += ["-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"] if not options.sanitize else []
    if options.sanitize:
        words += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"]
    p = subprocess.run(words + [options.library, "-pthread"], capture_output=True, text=True)
    return (program, None) if p.returncode == 0 else (None, p.stderr)


def build_good(options, folder, jobs, stats, tell):
    """Builds all of "jobs" that a compiler takes, and tells of the others; returns the program, or None, and what is in it."""
    while jobs:
        program, said = build(options, folder, jobs, "all")
        if program:
            return program, jobs
        guilty = {int(i) for i in re.findall(r"p(\d+)\.(?:cu|tcp):\d+:\d+: (?:fatal )?error", said)}
        bad = [job for job in jobs if job.index in guilty] or jobs
        if bad is jobs:
            bad = [job for job in jobs if not build(options, folder, [job], "alone")[0]] or jobs
        for job in bad:
            stats["texts that do not compile"] += 1
            line = next((x for x in said.splitlines() if f"p{job.index}." in x and "error" in x), said[:200])
            tell.append(("the emitted text does not compile", job, line))
        jobs = [job for job in jobs if job not in bad]
    return None, []


def write_cases(path, jobs, r):
    """Writes all cases of a batch; returns for each its (job, params, schedule)."""
    told, blobs = [], []
    for i, job in enumerate(jobs):
        for params, verdict in job.cases:
            names = [n for _, n in job.signature[0]]
            aligns = {}
            for n in names:
                buf = verdict.tensors[n]
                width = BITS[buf.element] // 8
                aligns[n] = job.aligns.get(n) or buf.align or r.choice([width] * 2 + [a for a in (2, 4, 8, 16, 32) if a >= width])
            for schedule in range(4 if re.search(r"cp_async|\bbulk|\btma\.", job.drawn.text) else 2):
                blobs.append(case_bytes(i, (names, job.signature[1]), params, verdict, schedule | r.choice([0, 4]), aligns, r))
                told.append((job, params, schedule))
    with open(path, "wb") as f:
        f.write(struct.pack("<q", len(blobs)))
        f.write(b"".join(blobs))
    return told


def run_program(program, cases, count):
    """Runs all cases, beginning anew behind one that ends the program; returns the (case, what) that went wrong."""
    wrong, first = [], 0
    while first < count:
        try:
            p = subprocess.run([program, cases, str(first)], capture_output=True, text=True, timeout=SECONDS, errors="replace")
            said, code = p.stdout, p.returncode
            more = p.stderr[:300]
        except subprocess.TimeoutExpired as e:
            said, code, more = (e.stdout or b"").decode(errors="replace"), "out of time", ""
        at = first
        for line in said.splitlines():
            m = re.match(r"case (\d+): (.*)", line)
            if m:
                wrong.append((int(m.group(1)), m.group(2)))
            elif line.startswith("at "):
                at = int(line[3:])
            elif line.startswith("done "):
                return wrong
        wrong.append((at, f"crash: the program ended with {code} {more}"))
        first = at + 1
    return wrong


def one_batch(options, first, count):
    """Draws, judges, compiles and runs "count" plans; returns counts and what is to be told."""
    stats, tell = collections.Counter(), []
    folder = tempfile.mkdtemp(prefix="tcp-judge-")
    r = random.Random(f"{options.seed}.run.{first}")
    times = [time.time()]
    try:
        jobs = [Job(i, draw(options.seed, i, KINDS[options.only])) for i in range(first, first + count)]
        for job in jobs:
            judge_all(job, r)
        times.append(time.time())
        for job in jobs:
            stats["plans"] += 1
            if job.error:
                stats["failures of the judge"] += 1
                tell.append(("the judge fails", job, job.error))
            if job.skipped and not job.cases and not job.breach:
                stats["skipped"] += 1
                stats["skipped: " + job.skipped] += 1
                continue
            compile_plan(options, folder, job)
            if job.breach:
                stats["wrong plans"] += 1
                stats["rule: " + message_class(job.breach[1])] += 1
                if job.emitted:
                    stats["wrong plans that compile"] += 1
                    tell.append(("a wrong plan compiles", job, f"with {job.breach[0]}: {job.breach[1]}"))
            elif job.refused and all(verdict.idle for _, verdict in job.cases) and "outside" in job.refused:
                stats["refused as they never copy"] += 1  # of a range, the language calls that an error
            elif job.refused:
                stats["right plans refused"] += 1
                stats["refused: " + message_class(job.refused)] += 1
                if options.show and message_class(job.refused).find(options.show) >= 0:
                    tell.append(("refused", job, job.refused))
                if job.refused.startswith("status") or "does not end" in job.refused:
                    stats["tcpc ended badly"] += 1
                    tell.append(("tcpc ended badly", job, job.refused))
            else:
                stats["right plans run"] += 1
        times.append(time.time())
        good = [job for job in jobs if job.emitted and not job.breach and job.cases]
        if good:
            program, good = build_good(options, folder, good, stats, tell)
            times.append(time.time())
            if program:
                cases = os.path.join(folder, "cases")
                told = write_cases(cases, good, r)
                times.append(time.time())
                stats["runs"] += len(told)
                seen = set()
                for at, what in run_program(program, cases, len(told)):
                    job, params, schedule = told[at]
                    if job.drawn.far and what.startswith("launch:") and what.endswith("does not fit into 64 bits"):
                        stats["launches refused as too large"] += 1
                        continue
                    kind = {"wrong": "wrong outputs", "report": "host reports", "launch": "failed launches"}.get(what.split(":")[0], "crashes")
                    if (job.index, kind) not in seen:
                        stats[kind] += 1
                        tell.append((kind, job, f"with {params}, schedule {schedule}: {what}"))
                    seen.add((job.index, kind))
                times.append(time.time())
        for name, a, b in zip(("judge", "tcpc", "c++", "cases", "run"), times, times[1:]):
            stats["time: " + name] += b - a
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return stats, [(kind, job.index, job.drawn.text, detail) for kind, job, detail in tell]


FAILURES = ("wrong outputs", "host reports", "failed launches", "crashes", "texts that do not compile", "wrong plans that compile",
            "tcpc ended badly", "failures of the judge")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--tcpc", default=os.path.join(ROOT, "build", "bin", "tcpc"))
    a.add_argument("--runtime", default=os.path.join(ROOT, "runtime"))
    a.add_argument("--library", default=None, help="libtcp_host.a (beside tcpc by default)")
    a.add_argument("--cxx", default=os.environ.get("CXX") or shutil.which("clang++") or "g++",
                   help="the C++ compiler; clang++ takes half the time of g++")
    a.add_argument("--level", default="0", help="the C++ compiler's optimization")
    a.add_argument("--sanitize", action="store_true", help="compile with the sanitizers; wants a library that was built so")
    a.add_argument("--plans", type=int, default=400)
    a.add_argument("--only", choices=KINDS, default="all", help="draw plans of one kind")
    a.add_argument("--seed", default="1")
    a.add_argument("--first", type=int, default=0, help="the number of the first plan")
    a.add_argument("--batch", type=int, default=64)
    a.add_argument("--jobs", type=int, default=2)
    a.add_argument("--seconds", type=float, default=0, help="begin no batch after so long; 0: all plans")
    a.add_argument("--show", default="", help="print right plans that are refused with a message like this")
    a.add_argument("--most", type=int, default=5, help="how many findings of each kind to print")
    a.add_argument("--print", type=int, default=None, metavar="INDEX", help="print one plan and end")
    a.add_argument("--keep", action="store_true", help="keep the folders of the batches")
    options = a.parse_args()
    options.library = options.library or os.path.join(os.path.dirname(options.tcpc), "..", "runtime", "libtcp_host.a")
    if options.print is not None:
        print(draw(options.seed, options.print, KINDS[options.only]).text, end="")
        return 0
    total, told, start = collections.Counter(), collections.Counter(), time.time()
    batches = [(i, min(options.batch, options.first + options.plans - i))
               for i in range(options.first, options.first + options.plans, options.batch)]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        waiting, batches = set(), iter(batches)
        while True:
            while len(waiting) < options.jobs:
                late = options.seconds and time.time() - start > options.seconds
                at = None if late else next(batches, None)
                if at is None:
                    break
                waiting.add(pool.submit(one_batch, options, *at))
            if not waiting:
                break
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                stats, tell = future.result()
                total += stats
                for kind, index, text, detail in tell:
                    told[kind] += 1
                    if told[kind] <= options.most:
                        print(f"== {kind}: plan {index} of seed {options.seed}: {detail}\n{text}", flush=True)
    for key in sorted(total):
        value = total[key]
        print(f"{value:9.1f} s {key[6:]}" if key.startswith("time: ") else f"{value:8d} {key}")
    print(f"{time.time() - start:.1f} s, seed {options.seed}")
    bad = [f"{total[key]} {key}" for key in FAILURES if total[key]]
    print("FAILED: " + ", ".join(bad) if bad else "all as the judge says")
    return 1 if bad or not total["right plans run"] else 0


if __name__ == "__main__":
    sys.exit(main())
