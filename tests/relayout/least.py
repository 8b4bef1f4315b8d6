#!/usr/bin/env python3
"""usage: least.py TCPC N [--seed S]: for N random relayouts, the bytes and sectors that `--explain` says any plan moves are those of a
count of all elements."""
import argparse, itertools, math, pathlib, random, re, subprocess, sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
from seeds import new_seed  # noqa: E402

TYPES = {"u8": 1, "f16": 2, "f32": 4, "f64": 8}
SAID = re.compile(r"any plan reads\s+the\s+(\d+)\s+bytes\s+of\s+\S+\s+in\s+(\d+)\s+sectors\s.*?writes\s+the\s+(\d+)\s+bytes\s+of\s+\S+\s+in\s+(\d+)\.", re.S)


def side(rng, extents):
    """Strides and an offset: modes in any order, with gaps, some backwards, some in steps."""
    strides, at = [0] * len(extents), 1
    for m in rng.sample(range(len(extents)), len(extents)):
        at = at * rng.choice([1, 1, 1, 2, 3]) + rng.choice([0, 0, 0, 1, 5, 17])
        strides[m] = at * rng.choice([1, 1, 1, 1, -1])
        at *= extents[m]
    begin = sum(-s * (e - 1) for s, e in zip(strides, extents) if s < 0)
    return strides, begin + rng.choice([0, 0, 3, 7])


def sectors(size, extents, strides, offset):
    seen = set()
    for place in itertools.product(*map(range, extents)):
        at = (offset + sum(i * s for i, s in zip(place, strides))) * size
        seen.update(range(at // 32, (at + size - 1) // 32 + 1))
    return len(seen)


def text(extents, strides, offset):
    return f"{offset}+({','.join(map(str, extents))}):({','.join(map(str, strides))})"


p = argparse.ArgumentParser()
p.add_argument("tcpc")
p.add_argument("n", type=int)
p.add_argument("--seed", type=int, default=new_seed())
options = p.parse_args()
for seed in range(options.seed, options.seed + options.n):
    rng = random.Random(seed)
    extents = [rng.choice([1, 2, 3, 5, 8, 16, rng.randrange(1, 30)]) for _ in range(rng.randrange(1, 5))]
    name, size = rng.choice(list(TYPES.items()))
    sides = [side(rng, extents) for _ in range(2)]
    command = [options.tcpc, "relayout", "-w", "--explain", name, *(text(extents, *x) for x in sides)]
    done = subprocess.run(command, capture_output=True, text=True)
    said = SAID.search(done.stdout)
    want = [n for x in sides for n in (math.prod(extents) * size, sectors(size, extents, *x))]
    if not said or [int(n) for n in said.groups()] != want:
        sys.exit(f"seed {seed}: {' '.join(command[1:])}\nwanted {want}, said {said and said.groups()}\n{done.stderr}")
print(f"{options.n} relayouts (--seed {options.seed})")
