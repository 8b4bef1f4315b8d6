#!/usr/bin/env python3
"""Random planned copies whose extents and pitches are params, run on the host at random sizes, as `tcpc run` compares them.

usage: run_time.py TCPC N [--seed S]

Both tensors of a kernel have the same named modes, each in its own order, so that the copy is a permutation; some rows are pitched.
"""
import argparse, math, os, pathlib, random, re, subprocess, sys, tempfile, time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from seeds import new_seed

TYPES = ["u8", "s16", "f16", "bf16", "f32", "s32", "f64", "b128"]
NUMBERS = TYPES[:-1]
PARAMS = {"P": "in 0 .. 128", "Q": "% 4 in 4 .. 128", "R": "% 16 in 16 .. 128", "S": "in 0 .. 40", "T": "% 2 in 2 .. 64"}
# half of what is drawn for "P" and "S" lets accesses be wide
SIZES = {"P": [*range(0, 70), *([*range(8, 129, 8)] * 4)], "Q": range(4, 90, 4), "R": range(16, 100, 16), "S": [*range(0, 41), *([8, 16, 24, 32] * 10)], "T": range(2, 65, 2)}


def tensor(rng, name, kind, modes, order, pitched):
    """The declaration of a tensor with these (name, extent) modes, the last of "order" fastest."""
    align = rng.choice(["", " align 16", " align 16", " align 8"]) if kind != "b128" else rng.choice(["", " align 16"])
    if not pitched or len(order) < 2:
        return f"tensor {name} : {kind} global row({','.join(f'{modes[m][0]}={modes[m][1]}' for m in order)}){align};\n"
    # rows of the fastest mode stand "ld" apart, which is large enough for each extent
    strides, step = {}, []
    for i, m in enumerate(reversed(order)):
        strides[m] = "1" if i == 0 else "*".join(["ld"] + step)
        step += [modes[m][1]] if i else []
    shape = ",".join(f"{n}={e}" for n, e in modes)
    return f"tensor {name} : {kind} global ({shape}):({','.join(strides[m] for m in range(len(modes)))}){align};\n"


MOST = 1 << 15  # elements of a tensor: the host does one after another


def drawn(rng, i):
    """A kernel that copies, and the words for the extents of its tensors."""
    rank, said = rng.randint(1, 4), 0
    modes = []
    for m in range(rank):
        run = said < 3 and rng.random() < 0.6
        said += run
        modes.append(("abcd"[m], rng.choice(list(PARAMS)) if run else str(rng.choice([1, 2, 3, 5, 8, 16, 24, 33]))))
    src = rng.choice(TYPES)
    dst = rng.choice(NUMBERS) if src in NUMBERS and rng.random() < 0.25 else src
    pitched = rng.random() < 0.3
    orders = [rng.sample(range(rank), rank) for _ in range(2)]
    return (tensor(rng, f"A{i}", src, modes, orders[0], pitched and rng.random() < 0.6) +
            tensor(rng, f"B{i}", dst, modes, orders[1], pitched and rng.random() < 0.6) + f"kernel k{i}(A{i}, out B{i}) {{ copy A{i} -> B{i}; }}\n"), [
                e for _, e in modes]


def head():
    """The params, and "ld", at least as long as each row."""
    return "".join(f"param {name} : index {promise};\n" for name, promise in PARAMS.items()) + "param ld : index in 128 .. 1000000;\n"


def values(rng, text, shapes):
    """The words that set those params which "text" has: of 20 draws the one whose greatest tensor is smallest, or the first below MOST."""

    def greatest(sizes):
        return max(math.prod(sizes[e] if e in sizes else int(e) for e in shape) for shape in shapes)

    best = None
    for _ in range(20):
        sizes = {name: rng.choice(list(of)) for name, of in SIZES.items()} | {"ld": rng.choice([128, 129, 130, 132, 136, 144])}
        if best is None or greatest(sizes) < greatest(best):
            best = sizes
        if greatest(best) <= MOST:
            break
    return [f"--param={name}={v}" for name, v in best.items() if re.search(rf"\b{name}\b", text)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tcpc")
    p.add_argument("n", type=int)
    p.add_argument("--seed", type=int, default=new_seed())
    a = p.parse_args()
    rng = random.Random(a.seed)
    texts, shapes = zip(*(drawn(rng, i) for i in range(a.n)))
    kernels = "".join(texts)
    text = "tcp 1;\n" + head() + kernels
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "all.tcp")
        with open(plan, "w") as f:
            f.write(text)
        for _ in range(3):
            words = values(rng, kernels, shapes)
            run = subprocess.run([a.tcpc, "run", plan, "--host", "-w", *words], capture_output=True, text=True)
            right = len(set(re.findall(r"^(k\d+)\b.*: ok", run.stdout, re.M)))  # each of its cases and widths has a line
            if run.returncode or right != a.n:
                print(f"{right} of {a.n} are right with {words}\n{run.stdout}{run.stderr}\n{text}\nto be had again by: run_time.py TCPC {a.n} --seed {a.seed}")
                return 1
            if time.monotonic() - begin > 4:  # some kernels have few elements and many blocks, most of them with guards
                break
    print(f"{a.n} copies with params are right (--seed {a.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
