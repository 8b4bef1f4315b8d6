#!/usr/bin/env python3
"""Random relayouts as few programs with many kernels each, for run.sh: starting a program under compute-sanitizer takes longer than its kernels.

usage: random_relayouts.py TCPC FOLDER [--count N] [--each N] [--seed S] [--jobs N]

FOLDER/relayouts_I gets what `tcpc run --write` writes of a plan with "each" kernels.  Of eight relayouts
    three are planned by `tcpc relayout`, one of these with a choice after the best one;
    one has modes of the destination in a row, or in turn runs of several modes;
    one has rows that begin at any element;
    two are copies without a word about how, of tensors that promise little;
    one is such a copy with params, in programs of their own.
The elements have 1 to 16 bytes, the ranks are 1 to 6, extents of 1 and odd ones are among them, sources that stand still, gaps on both sides,
addresses that are no better aligned than an element, and conversions.  Under memcheck they have no guard zones, so that
what is read behind a tensor is seen.  Two more programs are wrong, and have to fail.
"""
import argparse, concurrent.futures, os, pathlib, random, re, struct, subprocess, sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "relayout"))
import relayouts, run_time

SIZES = [200, 3000, 10000, 20000, 60000]


def bare(rng, i):
    """Two tensors and their copy.  Nothing is promised that the types do not promise, or little."""
    case = relayouts.drawn_up_to(rng, f"k{i}", rng.choice(SIZES))
    src, dst = (re.split(" ?-> ?", case.type) * 2)[:2]
    extents = ",".join(map(str, case.extents))
    of = lambda name, kind, strides: (f"tensor {name}{i} : {kind} global ({extents}):({','.join(map(str, strides))})"
                                      f"{rng.choice(['', '', f' align {max(case.align, 8)}' if kind != 'b128' else ''])};\n")
    return of("A", src, case.src) + of("B", dst, case.dst) + f"kernel k{i}(A{i}, out B{i}) {{ copy A{i} -> B{i}; }}\n"


def planned(tcpc, rng, i, kind):
    if kind == "in a row":
        return relayouts.plan_in_a_row(tcpc, rng, relayouts.in_a_row(rng, f"k{i}")).replace("tcp 1;\n", "")
    if kind == "runs":
        while True:
            case = relayouts.runs(rng, f"k{i}")
            text = relayouts.plan_runs(tcpc, case)
            if text:
                relayouts.check_meaning(case, text)
                return text.replace("tcp 1;\n", "")
    case = relayouts.ragged(rng, f"k{i}") if kind == "ragged" else relayouts.drawn_up_to(rng, f"k{i}", rng.choice(SIZES))
    text = relayouts.plan_text(tcpc, case, rng.randint(1, 40) if kind == "behind" else 0)
    relayouts.check_meaning(case, text)
    return text.replace("tcp 1;\n", "")


def program(tcpc, folder, kinds, first, seed):
    """The folder of one program, and how many kernels it has."""
    rng, name = random.Random(f"{seed} {first}"), os.path.join(folder, f"relayouts_{first}")
    parts, shapes = [], []
    for i, kind in enumerate(kinds, first):
        if kind == "params":
            text, shape = run_time.drawn(rng, i)
            shapes.append(shape)
        else:
            text = bare(rng, i) if kind == "bare" else planned(tcpc, rng, i, kind)
        parts.append(text)
    with_params = "params" in kinds
    words = run_time.values(rng, "".join(parts), shapes) if with_params else []
    plan = name + ".tcp"
    with open(plan, "w") as f:
        f.write("tcp 1;\n" + run_time.head() * with_params + "".join(parts))
    run = subprocess.run([tcpc, "run", "-w", "--write", name, *words, plan], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{plan} with {words}: {run.stderr}")
    os.rename(plan, os.path.join(name, "plan.tcp"))
    for mark in "sanitize", "tight":
        pathlib.Path(name, mark).touch()
    return name


def wrong(tcpc, folder, name, change, must_fail):
    """A program that run.sh wants to fail, with these words."""
    name, plan = os.path.join(folder, name), os.path.join(folder, "wrong.tcp")
    with open(plan, "w") as f:
        f.write("tcp 1;\ntensor A : f16 global row(40,48) align 16;\ntensor B : f16 global (40,48):(1,40) align 16;\n"
                "kernel turned(A, out B) { copy A -> B; }\n")
    subprocess.run([tcpc, "run", "-w", "--write", name, plan], check=True)
    os.remove(plan)
    expected, main = pathlib.Path(name, "turned.B.expect"), pathlib.Path(name, "main.cpp")
    tags, text = change(expected.read_bytes(), main.read_text())
    expected.write_bytes(tags)
    main.write_text(text)
    for mark in "sanitize", "tight":
        pathlib.Path(name, mark).touch()
    pathlib.Path(name, "must-fail").write_text(must_fail)


def judges(tcpc, folder):
    """One that expects another element at the end, and one whose source is an element too short."""
    wrong(tcpc, folder, "relayouts_judge", lambda tags, text: (tags[:-8] + tags[:8], text),
          "run turned: FAILED\nrun 'B'[1919] holds 1919, expected 0, from 'A'[0]\n")
    wrong(tcpc, folder, "relayouts_short", lambda tags, text: (tags[:-8] + struct.pack("q", -2**63), text.replace("TCP_F16, 1920,", "TCP_F16, 1919,", 1)),
          "memcheck Invalid __global__ read\n")


def cut(kinds, first, each):
    """(number of the first, kinds) of programs with equally many, up to "each"; "first" is the number of the first of all."""
    n = -(-len(kinds) // each)
    ends = [len(kinds) * i // n for i in range(n + 1)]
    return [(first + begin, kinds[begin:end]) for begin, end in zip(ends, ends[1:])]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tcpc")
    p.add_argument("folder")
    p.add_argument("--count", type=int, default=500)
    p.add_argument("--each", type=int, default=37)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    a = p.parse_args()
    turn = ["relayout", "bare", "relayout", "ragged", "in a row", "behind", "bare"]
    turn += ["runs" if kind == "in a row" else kind for kind in turn]
    with_params = a.count // 8
    kinds = [turn[i % len(turn)] for i in range(a.count - with_params)]
    parts = cut(kinds, 0, a.each) + cut(["params"] * with_params, len(kinds), a.each)
    os.makedirs(a.folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        made = list(pool.map(lambda x: program(a.tcpc, a.folder, x[1], x[0], a.seed), parts))
    judges(a.tcpc, a.folder)
    print(f"{a.count} relayouts in {len(made)} programs (random_relayouts.py --seed {a.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
