#!/usr/bin/env python3
"""The random planned copies of tests/relayout/planned.py as programs for run.sh, with the bytes that index arithmetic expects.

usage: random_copies.py TCPC FOLDER [--count N] [--each N] [--seed S] [--jobs N]

FOLDER/copies_I gets the emitted texts of "each" copies, the cases of each at three sizes, and copies.cu, which runs them.  Nothing of the
compiler says what is right.  One more program expects a wrong bit and has to fail.
"""
import argparse, concurrent.futures, itertools, os, pathlib, random, shutil, struct, sys, types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "relayout"))
import planned
from planned import case_of, compiled, drawn, judge


def program(tcpc, folder, name, first, each, seed, wrong=False):
    """Writes "each" copies of "seed"; "first" says which."""
    rng, jobs, cases = random.Random(f"{seed} {first}"), [], []
    to = pathlib.Path(folder, name)
    to.mkdir(parents=True)
    for number in itertools.count(100 * first):
        copy = drawn(1000000 * seed + number, False, each)
        if len(jobs) == each:
            break
        if copy.broken:
            continue
        plan, text = to / "k.tcp", to / f"p{number}.inc"
        plan.write_text(copy.text().replace("kernel k(", f"kernel k{number}("))
        said, status, _ = compiled(tcpc, plan, text, 60)
        if status:
            raise SystemExit(f"{plan}: {said}")
        signature = judge.signature_of(text.read_text(), f"k{number}")
        for _ in range(3):
            given = copy.values(rng, planned.SMALL)
            case = given is not None and case_of(copy, len(jobs), signature, given, rng, wrong and copy.size(given) > 0)
            if case:
                cases.append(case)
        jobs.append(types.SimpleNamespace(index=number, signature=signature, drawn=types.SimpleNamespace(kernel=f"k{number}")))
    (to / "k.tcp").unlink()
    (to / "cases").write_bytes(struct.pack("<q", len(cases)) + b"".join(cases))
    (to / "check.cu").write_text("".join(f'#include "p{job.index}.inc"\n' for job in jobs) + judge.glue(jobs) + '\n#include "copies.inc"\n')
    shutil.copy(HERE / "copies.cu", to / "copies.inc")
    (to / "main.cpp").write_text("// check.cu has its own\n")
    for mark in "sanitize", "tight":
        (to / mark).touch()
    if wrong:
        (to / "must-fail").write_text("run FAILED\n")
    return len(jobs), len(cases)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tcpc")
    p.add_argument("folder")
    p.add_argument("--count", type=int, default=500)
    p.add_argument("--each", type=int, default=25)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    a = p.parse_args()
    with concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
        firsts = range(0, a.count, a.each)
        made = [pool.submit(program, a.tcpc, a.folder, f"copies_{first}", first, min(a.each, a.count - first), a.seed) for first in firsts]
        made.append(pool.submit(program, a.tcpc, a.folder, "copies_wrong", a.count, 5, a.seed, True))
        counts = [m.result() for m in made]
    print(f"{sum(n for n, _ in counts)} planned copies at {sum(n for _, n in counts)} sizes in {len(counts)} programs (random_copies.py --seed {a.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
