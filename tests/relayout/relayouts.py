#!/usr/bin/env python3
"""Relayouts through the planner: each one's plan text must mean what was asked for, compile, and run right on the host.

usage: relayouts.py TCPC (--list FILE [--full] | --random N [--seed S] [--large | --judged] | (--ragged | --rows | --in-a-row) N [--seed S] [--judged]) [--candidate N]

With --candidate the N-th choice of each, or the last one where there are fewer.

What was asked for is worked out here, from extents and strides alone, as pairs (element of the source, element of the
destination), and compared with the pairs that the tensors of the plan's kernel name. That the kernel copies those is
proven by the compiler, and executed by `tcpc run`, all kernels in one program. What is large is compiled and not run, and its pairs are
compared by sample.  With --judged nothing is run: the judge in tests/judge, which shares nothing with the compiler, executes the text.
"""
import argparse, itertools, math, os, pathlib, random, re, subprocess, sys, tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "judge"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from judge import Breach, judge
from seeds import new_seed

TYPES = {1: "u8", 2: "f16", 4: "f32", 8: "f64", 16: "b128"}
NUMBERS = {1: ["u8", "s8", "f8e4m3", "f8e5m2"], 2: ["f16", "bf16", "s16"], 4: ["f32", "s32", "u32"], 8: ["f64", "s64"]}
NAMES = "abcdefghijkl"
SMALL = 50000  # elements
JUDGED = 14000  # elements of rows that are judged, in at most 400000 steps
JUDGED_RUNS = 9000  # the same of runs of several modes
FORM_RUN = "contiguous on a side form a run"
FORM_SHIFT = "// Rows begin at any address"
FORM_TORN = "Rows of both may begin at any element"


def row_major(extents, order):
    strides, n = [0] * len(extents), 1
    for m in reversed(order):
        strides[m], n = n, n * extents[m]
    return strides


class Case:
    """Elements of "size" bytes, coordinates of "extents", strides on both sides, and how the command is told so."""

    def __init__(self, name, size, extents, src, dst, words, align=16):
        self.name, self.size, self.extents, self.src, self.dst, self.words, self.align = name, size, extents, src, dst, words, align
        self.type, self.to_size = TYPES[size], size

    def convert(self, rng):
        """Has the elements become others on the way."""
        if self.size in NUMBERS:
            before, arrow = rng.choice(NUMBERS[self.size]), rng.choice(["->", " -> "])
            self.to_size = rng.choice([1, 2, 4, 4, 8])
            self.type = before + arrow + rng.choice(NUMBERS[self.to_size])

    def command(self):
        return ["relayout", self.type, *self.words, f"--name={self.name}", f"--align={self.align},{max(self.align, self.to_size)}"]


def at(coordinate, strides):
    return sum(c * s for c, s in zip(coordinate, strides))


def pairs_of(extents, src, dst):
    return {(at(x, src), at(x, dst)) for x in itertools.product(*map(range, extents))}


def source_of(place, extents, src, dst):
    """Where the element comes from that goes to "place", with strides that are nested; None: no element goes there."""
    found = 0
    for m in sorted((m for m in range(len(dst)) if extents[m] > 1), key=lambda m: -dst[m]):
        c, place = divmod(place, dst[m])
        if c >= extents[m]:
            return None
        found += c * src[m]
    return None if place else found


def same_relayout(case, extents, src, dst):
    if math.prod(extents) != math.prod(case.extents):
        return False
    if math.prod(extents) <= SMALL:
        return pairs_of(extents, src, dst) == pairs_of(case.extents, case.src, case.dst)
    rng = random.Random(0)
    some = [[0 if i == 0 else e - 1 if i == 1 else rng.randrange(e) for e in case.extents] for i in range(2000)]
    return all(source_of(at(x, case.dst), extents, src, dst) == at(x, case.src) for x in some)


def permutation(name, size, perm, extents, align=16):
    words = [" ".join(f"{n}={e}" for n, e in zip(NAMES, extents)), " ".join(NAMES[m] for m in perm)]
    return Case(name, size, extents, row_major(extents, range(len(extents))), row_major(extents, perm), words, align)


def layouts(rng, name, size, extents):
    """Two layouts of one shape, with gaps between rows on either side, and at times a source that stands still."""
    def side(may_stand):
        order, strides, n = rng.sample(range(len(extents)), len(extents)), [0] * len(extents), 1
        for m in order:
            strides[m] = 0 if may_stand and rng.random() < 0.1 else n
            n = strides[m] * extents[m] + rng.choice([0, 0, 0, 1, 8]) if strides[m] else n
        return strides
    src, dst = side(True), side(False)
    text = lambda s: "({}):({})".format(",".join(map(str, extents)), ",".join(map(str, s)))
    return Case(name, size, extents, src, dst, [text(src), text(dst)], rng.choice([16, 16, size]))


def shrunk(extents, most):
    """Smaller extents of the same kind: what a power of 2 divides it still divides, as far as that can be."""
    e = list(extents)
    while math.prod(e) > most:
        m = max(range(len(e)), key=lambda i: e[i])
        if e[m] < 3:
            break
        e[m] = e[m] // 2 if e[m] % 32 == 0 else max(1, e[m] - 16 * max(1, e[m] // 32)) if e[m] > 16 else e[m] - 2
    return e


def drawn(rng, name, large, judged=False):
    return drawn_up_to(rng, name, rng.choice([10**6, 10**8, 10**10] if large else [60, 200, 1200] if judged else [200, 3000, 20000]), large)


def drawn_up_to(rng, name, most, large=False):
    """Of at most as many elements; "large": of a hundredth of that at least."""
    rank = rng.randint(1, 6)
    size = rng.choice([1, 2, 2, 4, 4, 8, 16])
    kinds = [lambda: rng.randint(1, 7), lambda: rng.choice([8, 16, 32, 64, 24, 48]), lambda: rng.randint(1, 90)]
    extents = [rng.choice(kinds)() for _ in range(rank)]
    while large and math.prod(extents) < most // 100:
        extents[rng.randrange(rank)] *= rng.choice([2, 3, 5, 8, 16])
    while math.prod(extents) > most:
        m = max(range(rank), key=lambda i: extents[i])
        extents[m] = extents[m] // 2 if extents[m] % 2 == 0 else extents[m] - 1
    if rng.random() < 0.4:
        case = layouts(rng, name, size, extents)
    else:
        case = permutation(name, size, rng.sample(range(rank), rank), extents, rng.choice([16, 16, 16, size]))
    if rng.random() < 0.3:
        case.convert(rng)
    return case


def ragged(rng, name):
    """A matrix to be turned, or a stack of them, whose rows begin at any element."""
    size, extents = rng.choice([1, 2, 4]), [rng.randint(30, 300) | rng.choice([0, 1, 1]) for _ in range(2)]
    perm = [1, 0]
    if rng.random() < 0.5:
        extents.insert(0, rng.randint(2, 5))
        perm = rng.choice([[0, 2, 1], [2, 0, 1]])
    if rng.random() < 0.7:
        return permutation(name, size, perm, extents)
    src, dst = row_major(extents, range(len(extents))), row_major(extents, perm)
    gap = rng.randint(1, 5)  # behind each row of the destination
    dst = [s if s == 1 else s // extents[perm[-1]] * (extents[perm[-1]] + gap) for s in dst]
    text = lambda s: "({}):({})".format(",".join(map(str, extents)), ",".join(map(str, s)))
    return Case(name, size, extents, src, dst, [text(src), text(dst)])


def rows(rng, name, judged=False):
    """Rows that are copied to rows, of which either side begins at any element, or has gaps between the elements of a row."""
    size = rng.choice([1, 2, 4, 8])
    extents = [rng.randint(2, 5) for _ in range(rng.choice([0, 1, 1, 2]))] + [(512 + rng.choice([rng.randint(0, 600), rng.randint(0, 6000)])) // size]
    while judged and math.prod(extents) > JUDGED:
        extents[:-1] = [extents[0] - 1] if extents[0] > 2 else []
    def side():
        strides, n = [], rng.choice([1, 1, 1, 1, 2, 3])
        for e in reversed(extents):
            strides.insert(0, n)
            n = n * e + rng.choice([0, 1, 2, rng.randint(0, 40)])
        return strides
    src, dst = side(), side()
    text = lambda s: "({}):({})".format(",".join(map(str, extents)), ",".join(map(str, s)))
    return Case(name, size, extents, src, dst, [text(src), text(dst)], rng.choice([16, 16, size]))


def in_a_row(rng, name, judged=False):
    """What may be planned by putting modes of the destination in a row: dense on both sides, of three modes or more."""
    most = rng.choice([2000, 9000]) if judged else rng.choice([9000, 60000])
    perm = rng.choice([[2, 1, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1, 3], [3, 1, 0, 2], [3, 2, 1, 0], [3, 0, 2, 1], [4, 2, 0, 1, 3]])
    extents = [1] * len(perm)
    while math.prod(extents) < most // 8:
        m = rng.randrange(len(extents))
        extents[m] = extents[m] * rng.choice([2, 2, 3]) + rng.choice([0, 0, 1])
    return permutation(name, rng.choice([1, 2, 4, 8]), perm, extents)


def plan_in_a_row(tcpc, rng, case):
    """One of the candidates that do, or any one."""
    texts = [plan_text(tcpc, case, n) for n in sorted(rng.sample(range(64), 6))]
    return rng.choice([text for text in texts if "the row that they form" in text or "all its elements" in text] or texts)


def runs(rng, name, judged=False):
    """Narrow elements, and fast modes that are short or odd: what may be planned by runs of several modes."""
    while True:
        extents = [rng.choice([rng.randint(2, 8), rng.randint(3, 35), rng.choice([8, 16, 24])]) for _ in range(rng.choice([3, 4, 4, 5]))]
        if 4500 <= math.prod(extents) <= (JUDGED_RUNS if judged else 60000):
            break
    perm = list(range(len(extents)))
    while perm[-1] == len(perm) - 1 and rng.random() < .8 or perm == sorted(perm):
        rng.shuffle(perm)
    return permutation(name, rng.choice([1, 1, 2]), perm, extents, rng.choice([16, 16, 8, 4]))


def shifted(rng, name, judged=False):
    """Bytes, and rows of odd lengths on both sides that are turned."""
    extents = [rng.randrange(121, 161 if judged else 241, 2), rng.randrange(61, 81 if judged else 111, 2)]
    if rng.random() < .5:
        extents.insert(1, rng.randint(1, 3))
    return permutation(name, 1, list(reversed(range(len(extents)))), extents, 16)


def torn(rng, name, judged=False):
    """A matrix or a few, with rows that may begin at any element: by windows, as where params give their lengths."""
    size = rng.choice([1, 2, 4])
    extents = [rng.randint(256, 560), rng.randint(112, 260)]
    if rng.random() < .5:
        extents.insert(0, rng.randint(2, 3))
    perm = [*range(len(extents) - 2), len(extents) - 1, len(extents) - 2]
    return permutation(name, size, perm, extents)


def plan_runs(tcpc, case, form=None):
    """The first candidate of that form, or if it may come later the eighth one; None: it has none."""
    text = plan_text(tcpc, case, 8 if form in (FORM_SHIFT, FORM_TORN) else 0)
    return text if (form or FORM_RUN) in text else None


def plan_text(tcpc, case, candidate):
    def planned(n):
        return subprocess.run([tcpc, *case.command(), f"--candidate={n}", "--emit=plan-text"], capture_output=True, text=True, timeout=60)
    run = planned(candidate)
    fewer = re.search(r"there is no candidate \d+; there are (\d+)", run.stderr)
    if fewer:
        run = planned(int(fewer[1]) - 1)
    if run.returncode:
        raise AssertionError(f"{case.command()} is refused: {run.stderr}")
    return run.stdout


def numbers(text):
    return [int(x) for x in text.split(",")]


def same_in_a_row(case, text, extents, src, row, dst):
    """The source has modes "extents", and the destination "row", of which one has several of the source's."""
    sliced, column = re.search(r"local_tile\(\w+\(([^()]*)\), \([\d,]+\), \((?:e\w* % (\d+))?", text).groups()
    sliced = [s.strip() for s in sliced.split(",")]
    kept = [m for m, s in enumerate(sliced) if s == "_"]
    if column:  # all of them
        sliced[kept[0]], kept, places = f"e % {column}", [], [0]
    else:  # modes of one extent may be taken for each other
        places = [p for p in range(len(row)) if row[:p] + row[p + 1:] == [extents[m] for m in kept]]
    if math.prod(row) != math.prod(extents) or len(sliced) != len(extents):
        return False
    worked_out = [eval(f"lambda e: {re.sub(r'e[_]*', 'e', s).replace('/', '//')}") if m not in kept and s != "_" else None for m, s in enumerate(sliced)]

    def meets(place):
        rng, other = random.Random(0), [p for p in range(len(row)) if p != place]
        if math.prod(row) > SMALL:
            some = [[0 if i == 0 else n - 1 if i == 1 else rng.randrange(n) for n in row] for i in range(2000)]
        else:
            some = itertools.product(*map(range, row))
        for x in some:
            c = [f(x[place]) if f else None for f in worked_out]
            for m, p in zip(kept, other):
                c[m] = x[p]
            if any(not 0 <= i < n for i, n in zip(c, extents)) or source_of(at(x, dst), case.extents, case.src, case.dst) != at(c, src):
                return False
        return True

    return any(map(meets, places))


def packed(extents, strides):
    """The modes of a layout, those that continue one another as one."""
    modes = []
    for stride, e in sorted((s, e) for e, s in zip(extents, strides) if e > 1):
        if modes and modes[-1][0] * modes[-1][1] == stride:
            modes[-1] = (modes[-1][0], modes[-1][1] * e)
        else:
            modes.append((stride, e))
    return modes


def check_meaning(case, text):
    found = re.findall(r" : \w+ global \(([\d,]+)\):\(([\d,]+)\) align \d+", text)
    (extents, src), (same, dst) = ((numbers(a), numbers(b)) for a, b in found)
    if FORM_RUN in text or FORM_SHIFT in text:  # with modes of its own on each side
        right = packed(extents, src) == packed(case.extents, case.src) and packed(same, dst) == packed(case.extents, case.dst)
        if right and math.prod(extents) <= JUDGED_RUNS:
            check_judged(case, text)
        if right:
            return
        raise AssertionError(f"{case.command()} is planned with other tensors:\n{text}")
    if not (same_relayout(case, extents, src, dst) if extents == same else same_in_a_row(case, text, extents, src, same, dst)):
        raise AssertionError(f"{case.command()} is planned as another relayout:\n{text}")


def check_judged(case, text):
    """That the plan writes each element of the destination, once, and from where it was asked for."""
    verdict = judge(text, case.name, {})
    (_, outputs), = verdict.outputs.items()
    (source,) = (name for name in verdict.tensors if name not in verdict.outputs)
    have = {(element[1], at) for at, element in outputs.items()}
    converted = any(element[2] for element in outputs.values())
    if (converted and "->" not in case.type) or len(outputs) != math.prod(case.extents) or have != pairs_of(case.extents, case.src, case.dst):
        raise AssertionError(f"{case.command()}: the judge finds another relayout of {source}:\n{text}")


def check_judge(tcpc):
    """That the judge sees a plan which means another relayout than was asked for, and one that leaves out a row."""
    turned, same = (permutation("k", 4, perm, [6, 4]) for perm in ([1, 0], [0, 1]))
    text = plan_text(tcpc, turned, 0)
    for case, given in (same, text), (turned, text.replace("B : f32 global (6,4):(1,6)", "B : f32 global (6,4):(1,7)")):
        try:
            check_judged(case, given)
        except (AssertionError, Breach):
            continue
        raise AssertionError(f"the judge takes this for {case.words}:\n{given}")


def check_rows(tcpc):
    """That a row which is made of its modes in another order is seen."""
    case = permutation("k", 4, [3, 1, 0, 2], [88, 112, 75, 180])
    text = plan_text(tcpc, case, 0)
    for given in text.replace("e / 75 % 88, e / 6600", "e / 8400 % 88, e / 75 % 112"), text.replace("(739200,180):(1,739200)", "(739200,180):(180,1)"):
        try:
            check_meaning(case, given)
        except AssertionError:
            continue
        raise AssertionError(f"this is taken for {case.words}:\n{given}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tcpc")
    p.add_argument("--list")
    p.add_argument("--full", action="store_true", help="with the extents of the list, and compile alone")
    p.add_argument("--random", type=int, default=0)
    p.add_argument("--ragged", type=int, default=0)
    p.add_argument("--rows", type=int, default=0)
    p.add_argument("--in-a-row", type=int, default=0)
    p.add_argument("--runs", type=int, default=0, help="drawn until so many have runs of several modes")
    p.add_argument("--shifted", type=int, default=0, help="drawn until so many have rows at any address")
    p.add_argument("--torn", type=int, default=0, help="drawn until so many have windows of rows of any length")
    p.add_argument("--seed", type=int, default=new_seed())
    p.add_argument("--large", action="store_true", help="large ones, and compile alone")
    p.add_argument("--judged", action="store_true", help="by the judge, and without running them")
    p.add_argument("--candidate", type=int, default=0)
    a = p.parse_args()
    alone = a.full or a.large
    if a.list:
        lines = [line.split() for line in open(a.list) if line.strip()]
        cases = [permutation(n, int(w), numbers(perm), numbers(e) if a.full else shrunk(numbers(e), 6000)) for n, w, perm, e in lines]
        what = f"--list {a.list}{' --full' * a.full}"
    elif a.ragged or a.rows or a.in_a_row:
        rng, kind = random.Random(a.seed), ragged if a.ragged else rows if a.rows else in_a_row
        cases = [kind(rng, f"k{i}", *[a.judged] * (not a.ragged)) for i in range(a.ragged or a.rows or a.in_a_row)]
        what = f"--{kind.__name__.replace('_', '-')} {len(cases)} --seed {a.seed}{' --judged' * a.judged}"
    elif a.runs or a.shifted or a.torn:
        rng, cases = random.Random(a.seed), []
        draw, form = (runs, FORM_RUN) if a.runs else (shifted, FORM_SHIFT) if a.shifted else (torn, FORM_TORN)
        while len(cases) < (a.runs or a.shifted or a.torn):
            case = draw(rng, f"k{len(cases)}", a.judged)
            if plan_runs(a.tcpc, case, form):
                cases.append(case)
        what = f"--{draw.__name__} {len(cases)} --seed {a.seed}{' --judged' * a.judged}"
    else:
        rng = random.Random(a.seed)
        cases = [drawn(rng, f"k{i}", a.large, a.judged) for i in range(a.random)]
        what = f"--random {a.random} --seed {a.seed}{' --large' * a.large}{' --judged' * a.judged}"
    what += f" --candidate {a.candidate}" * (a.candidate > 0)
    texts, windows, in_row = ["tcp 1;\n"], 0, 0
    try:
        if a.judged:
            check_judge(a.tcpc)
        if a.in_a_row:
            check_rows(a.tcpc)
        for case in cases:
            text = plan_in_a_row(a.tcpc, rng, case) if a.in_a_row else plan_text(a.tcpc, case, 8 if a.shifted or a.torn else a.candidate)
            if a.ragged and "a window of" not in text:  # which is the second choice for short rows
                text = plan_text(a.tcpc, case, 1)
            check_meaning(case, text)
            texts.append(text.replace("tcp 1;\n", ""))
            windows += "a window of" in text
            in_row += "the row that they form" in text or "all its elements" in text
            if a.judged:
                check_judged(case, text)
        if a.judged:
            print(f"{len(cases)} relayouts are as the judge has them, {windows} with windows, {in_row} with modes in a row ({what})")
            return 0
        with tempfile.TemporaryDirectory() as folder:
            plan = os.path.join(folder, "all.tcp")
            with open(plan, "w") as f:
                f.write("".join(texts))
            words = [plan, "-o", os.path.join(folder, "all.cu")] if alone else ["run", plan, "--host"]
            run = subprocess.run([a.tcpc, *words], capture_output=True, text=True)
            right = len(cases) if alone else run.stdout.count(": ok")
            if run.returncode or right != len(cases):
                raise AssertionError(f"{right} of {len(cases)} are right\n{run.stdout}{run.stderr}\n{''.join(texts)}")
    except AssertionError as e:
        print(f"{e}\nto be had again by: relayouts.py TCPC {what}")
        return 1
    print(f"{len(cases)} relayouts are right, {windows} of them with windows, {in_row} with modes in a row ({what})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
