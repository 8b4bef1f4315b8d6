#!/usr/bin/env python3
"""Random planned copies, `kernel k(A, out B) { copy A -> B; }`: each compiles in time, and moves what its layouts say.

usage: planned.py TCPC N [--seed S] [--run N] [--hang] [--untimed] [--rows] [--keep DIR] [--one SEED]

Ranks 1 to 6, all element types and conversions, params with ranges, multiples and relations, pitches, sources that stand still,
extents that may be 0 or are 1, and strides of up to 2^40 (with --hang: of up to 2^62, and only the time counts).  Half of the sides are
parts: ranges, slices, tiles, other orders of modes, offsets, negative strides, swizzles.  A tenth of the copies count the same elements in
two shapes, and every seventh kernel has several copies: of parts of one tensor, or of all kinds.  Strides are built
such that no two elements of the destination are one, so each copy has to compile; of a few the destination is broken afterwards, and
where index arithmetic then finds two elements at one place for some params, the copy has to be refused.

Of those that compile, --run N are run on the host at random params with guard bytes around both tensors.  Every byte is compared with
index arithmetic on the strides as drawn and with the numbers of tests/judge/numeric.py: nothing of the compiler is shared.
"""
import argparse, collections, os, pathlib, random, re, resource, shutil, struct, subprocess, sys, tempfile, types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "judge"))
sys.path.append(str(HERE.parent / "tools"))
import run as judge
from planned_copies import drawn
from planned_sides import BITS, SMALL, bytes_of
from seeds import new_seed

SECONDS, SECONDS_PARAMS, SECONDS_HANG = 0.2, 0.5, 2.0
FELL_BACK = re.compile(r"warning: .*\[-Wfallback\]")


# -- compiling -------------------------------------------------------------------------------------------------------------------


def compiled(tcpc, plan, out, seconds):
    """What the compiler says, its status, and the seconds of its own that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run = subprocess.run([tcpc, "--no-line", plan, "-o", out], capture_output=True, text=True, timeout=seconds)
        said, status = run.stderr, run.returncode
    except subprocess.TimeoutExpired:
        said, status = "error: it does not end", -1
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, status, after.ru_utime - before.ru_utime


def refused_for(said):
    first = next((line for line in said.splitlines() if "error: " in line), said[:200])
    return ("<plan> " if first.startswith("<plan") else "") + judge.message_class(first.split("error: ", 1)[-1])


# -- running ---------------------------------------------------------------------------------------------------------------------


def case_of(copy, number, signature, given, rng, wrong=False):
    """One case as tests/judge/host.cpp reads it: the tensors with the bytes before and after; "wrong": with a wrong bit among these."""
    memory = copy.memory(given, rng)
    if memory is None:
        return None
    if wrong:
        next(now for _, _, before, now in memory.values() if now is not before and now)[0] ^= 1
    out = [struct.pack("<3q", number, rng.randrange(4), len(signature[1])), struct.pack(f"<{len(signature[1])}q", *(given[n] for n in signature[1])),
           struct.pack("<q", len(memory))]
    for _, name in signature[0]:
        t, align, before, now = memory[name]
        size = BITS[t] // 8
        align = align or rng.choice([a for a in (1, 2, 4, 8, 16, 32) if a >= size])
        before, now = bytes_of(before, BITS[t]), bytes_of(now, BITS[t])
        out += [struct.pack("<4q", align, size, len(before), len(name)), name.encode(), before, now]
    return b"".join(out)


def run_batch(options, folder, batch, rng):
    """Runs copies (number, copy) whose texts are in "folder"; returns what went wrong, and how many cases were run."""
    jobs = []
    for number, copy in batch:
        text = pathlib.Path(folder, f"p{number}.cu").read_text()
        jobs.append(types.SimpleNamespace(index=number, copy=copy, signature=judge.signature_of(text, f"k{number}"), drawn=types.SimpleNamespace(kernel=f"k{number}")))
    program, said = judge.build(options, folder, jobs, "all")
    if not program:
        return [f"does not build: {said[:2000]}"], 0
    cases, told = [], []
    for i, job in enumerate(jobs):
        for _ in range(3):
            given = job.copy.values(rng, SMALL)
            case = given is not None and case_of(job.copy, i, job.signature, given, rng)
            if case:
                cases.append(case)
                told.append((job, given))
    seen = next(((job, given) for job, given in told if job.copy.size(given)), None)
    if not seen:
        return [], 0
    job, given = seen
    cases.append(case_of(job.copy, jobs.index(job), job.signature, given, rng, wrong=True))
    path = os.path.join(folder, "cases")
    pathlib.Path(path).write_bytes(struct.pack("<q", len(cases)) + b"".join(cases))
    wrong = judge.run_program(program, path, len(cases))
    if not wrong or wrong.pop()[0] != len(told):
        return ["a wrong bit is not seen"], 0
    return [f"seed {told[at][0].index} with {told[at][1]}: {what}\n{told[at][0].copy.text()}" for at, what in wrong], len(told)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tcpc")
    p.add_argument("n", type=int)
    p.add_argument("--seed", type=int, default=new_seed())
    p.add_argument("--run", type=int, default=0, help="draw small ones, and run so many")
    p.add_argument("--hang", action="store_true")
    p.add_argument("--rows", action="store_true", help="draw copies with rows of any length, as params give them")
    p.add_argument("--one", type=int, help="print the copy of this seed")
    p.add_argument("--keep", help="a folder for the copies that fail")
    p.add_argument("--untimed", action="store_true", help="the machine is busy: times do not count")
    p.add_argument("--cxx", default=os.environ.get("CXX") or shutil.which("clang++") or "g++")
    p.add_argument("--runtime", default=str(HERE.parents[1] / "runtime"))
    p.add_argument("--library", help="libtcp_host.a (beside tcpc by default)")
    p.add_argument("--level", default="0", help="the C++ compiler's optimization")
    p.set_defaults(sanitize=False)
    a = p.parse_args()
    a.library = a.library or os.path.join(os.path.dirname(a.tcpc), "..", "runtime", "libtcp_host.a")
    if a.one is not None:
        print(drawn(a.one, a.hang, a.run, a.rows).text(), end="")
        return 0
    stats, failures, batch, ran, cases, slowest = collections.Counter(), [], [], 0, 0, 0
    rng = random.Random(a.seed)

    def fail(number, copy, why):
        stats["failed: " + why] += 1
        failures.append(f"{why} (--one {number})")
        if a.keep:
            os.makedirs(a.keep, exist_ok=True)
            pathlib.Path(a.keep, f"{number}.tcp").write_text(f"// {why}\n" + copy.text())

    with tempfile.TemporaryDirectory() as folder:
        for number in range(a.seed, a.seed + a.n):
            copy = drawn(number, a.hang, a.run, a.rows)
            plan, out = os.path.join(folder, "k.tcp"), os.path.join(folder, f"p{number}.cu")
            pathlib.Path(plan).write_text(copy.text().replace("kernel k(", f"kernel k{number}("))
            said, status, took = compiled(a.tcpc, plan, out, 20)
            slowest = max(slowest, took)
            most = (SECONDS_HANG if a.hang else SECONDS_PARAMS if copy.params else SECONDS) * len(getattr(copy, "copies", [copy]))
            if took > most and not a.untimed:
                fail(number, copy, f"takes over {most} s")
            if status not in (0, 1):
                fail(number, copy, f"status {status}")
            elif a.hang:
                stats["compiled" if status == 0 else "refused: " + refused_for(said)] += 1
            elif copy.broken and copy.witness():
                stats["wrong, and refused" if status else "wrong"] += 1
                stats["wrong: " + refused_for(said)] += status
                if status == 0:
                    fail(number, copy, "a wrong copy compiles")
                elif refused_for(said).startswith("<plan>"):
                    fail(number, copy, "a wrong copy is refused in the planner's words: " + refused_for(said))
            elif copy.broken:
                stats["not known to be wrong"] += 1
            elif status:
                fail(number, copy, "refused: " + refused_for(said))
            else:
                stats["compiled"] += 1
                if FELL_BACK.search(said):
                    stats["fell back"] += 1
                    stats["fell back: " + judge.message_class(said[said.index("warning"):])] += 1
                if ran + len(batch) < a.run:
                    batch.append((number, copy))
            if len(batch) == 25 or (batch and number == a.seed + a.n - 1):
                wrong, n = run_batch(a, folder, batch, rng)
                ran, cases, batch = ran + len(batch), cases + n, []
                failures += wrong
    for what, n in sorted(stats.items(), key=lambda x: -x[1]):
        print(f"{n:7} {what}")
    print(f"{a.n} planned copies, {ran} of them run at {cases} sizes, {len(failures)} failures, {slowest:.3f} s at most (--seed {a.seed}{' --hang' * a.hang})")
    for failure in failures[:8]:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
