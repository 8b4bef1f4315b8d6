"""usage: judge.py TCPC [--count N] [--seed S]: what `explain --json` says of the costs of random tiled copies is what their
addresses say, worked out here lane by lane; nothing is shared with the compiler."""

import argparse
import json
import random
import subprocess
import sys
import tempfile

BITS = {"u8": 8, "f16": 16, "f32": 32, "f64": 64}
BLOCKS = 32  # so that a tile begins at each place within a sector that its step leads to


def swizzle(sw, x):
    if sw is None:
        return x
    b, m, s = sw
    return x ^ ((x >> s) & (((1 << b) - 1) << m))


class Side:
    """A buffer of two modes, contiguous along one, with what it is known to be aligned to."""

    def __init__(self, rows, columns, contiguous, pitch, sw, align):
        self.shape, self.contiguous, self.pitch, self.sw, self.align = (rows, columns), contiguous, pitch, sw, align

    def text(self, rows):
        stride = (self.pitch, 1) if self.contiguous == 1 else (1, self.pitch)
        plain = f"({rows},{self.shape[1]}):({stride[0]},{stride[1]})"
        return f"Sw<{self.sw[0]},{self.sw[1]},{self.sw[2]}> o 0 o {plain}" if self.sw else plain

    def at(self, i, j):
        return swizzle(self.sw, i * self.pitch + j if self.contiguous == 1 else i + j * self.pitch)


def lanes_of(case):
    """For each warp and access the coordinates that its lanes begin at."""
    (ta, tb), (va, vb), along, vec = case["thr"], case["val"], case["along"], case["vec"]
    tile = (ta * va, tb * vb)
    threads = ta * tb
    for warp in range((threads + 31) // 32):
        for ri in range(case["rows"] // tile[0]):
            for rj in range(case["columns"] // tile[1]):
                for x in range(0, va, vec if along == 0 else 1):
                    for y in range(0, vb, vec if along == 1 else 1):
                        lanes = []
                        for t in range(32 * warp, min(32 * warp + 32, threads)):
                            i, j = (t % ta, t // ta) if case["order"] == 0 else (t // tb, t % tb)
                            lanes.append((ri * tile[0] + i * va + x, rj * tile[1] + j * vb + y))
                        yield lanes


def conflict(addresses, width):
    words = {}
    for a in addresses:
        for k in range(max(1, width // 4)):
            words.setdefault((a // 4 + k) % 32, set()).add(a // 4 + k)
    return max((len(w) for w in words.values()), default=0)


def wavefronts(addresses, width, load):
    group = 32 if width <= 4 else 128 // width
    if group == 32:
        return conflict(addresses, width)
    total = 0
    for i in range(0, 32, 2 * group):
        pair = addresses[i : i + 2 * group]
        merged = load and any(all(pair[n] == pair[n ^ d] for n in range(len(pair)) if n ^ d < len(pair)) for d in (1, 2))
        if merged:
            total += conflict(pair, width)
        else:
            total += conflict(pair[:group], width) + conflict(pair[group:], width)
    return total


def count(case, side, space, load, elem):
    """(most, total) for each place where the tile may begin."""
    width = case["vec"] * elem // 8
    found = []
    begins = {0}
    if space == "global":
        begins = {b + side.at(n * case["rows"], 0) * elem // 8 for b in range(0, 32, side.align) for n in range(BLOCKS)}
    for begin in {b % 32 for b in begins}:
        each = []
        for lanes in lanes_of(case):
            at = [begin + side.at(i, j) * elem // 8 for i, j in lanes]
            if any(a % width for a in at):
                break
            each.append(len({a // 32 for a in at}) if space == "global" else wavefronts(at, width, load))
        else:
            found.append((max(each), sum(each)))
    return found


def draw(rng):
    elem = rng.choice(list(BITS))
    bits = BITS[elem]
    along = rng.randrange(2)
    vec = rng.choice([v for v in (1, 2, 4, 8, 16) if 8 <= v * bits <= 128])
    ta, tb = rng.choice([(4, 8), (8, 4), (16, 8), (32, 1), (1, 32), (8, 16), (64, 2), (2, 32), (32, 4), (16, 4)])
    val = [rng.choice([1, 1, 2]), rng.choice([1, 1, 2])]
    val[along] = vec * rng.choice([1, 1, 2])
    case = {"thr": (ta, tb), "val": tuple(val), "order": rng.randrange(2), "along": along, "vec": vec, "elem": elem}
    case["rows"], case["columns"] = ta * val[0] * rng.choice([1, 2]), tb * val[1] * rng.choice([1, 2])
    width = vec * bits // 8

    def side(shared):
        contiguous = along if vec > 1 else rng.randrange(2)
        extent = case["columns"] if contiguous == 1 else case["rows"] * (1 if shared else BLOCKS)
        pitch = -(-extent // vec) * vec + rng.choice([0, 0, vec, 2 * vec, 3 * vec])
        sw = None
        if shared and extent & extent - 1 == 0 and pitch == extent and rng.random() < 0.5:
            m = max(0, vec.bit_length() - 1)
            sw = (rng.choice([1, 2, 3]), m, rng.choice([3, 4]))
        return Side(case["rows"], case["columns"], contiguous, pitch, sw, max(width, rng.choice([1, 16, 32, 128]), bits // 8))

    case["from"], case["to"] = side(False), side(True)
    return case


def plan(c):
    elem, a, s = c["elem"], c["from"], c["to"]
    (ta, tb), (va, vb) = c["thr"], c["val"]
    order = "" if c["order"] == 0 else f":({tb},1)"
    tile = f"tile(universal({c['vec'] * BITS[elem]}), thr=({ta},{tb}){order}, val=({va},{vb}))"
    part = f"({c['rows']},{c['columns']})"
    whole = f"{elem} global {a.text(c['rows'] * BLOCKS)} align {a.align}"
    return f"""tcp 1;
arch sm_90;
tensor A : {whole};
tensor B : {whole};
kernel k(A, out B) grid ({BLOCKS}) {{
  shared s : {elem} {s.text(c['rows'])};
  copy local_tile(A, {part}, (block.x,0)) -> s with {tile};
  copy s -> local_tile(B, {part}, (block.x,0)) with {tile};
}}
"""


def told(cost, what):
    for x in cost["counts"]:
        if x["what"] == what:
            return (x["access_min"], x["access_max"]), (x["total_min"], x["total_max"])
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tcpc")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    wrong = ranges = checked = skipped = 0
    while checked < args.count and skipped < 20 * args.count:
        case = draw(rng)
        if case["rows"] * case["columns"] > 1 << 14 or case["rows"] * case["columns"] * BITS[case["elem"]] // 8 > 40000:
            continue
        text = plan(case)
        with tempfile.NamedTemporaryFile("w", suffix=".tcp") as f:
            f.write(text)
            f.flush()
            done = subprocess.run([args.tcpc, "explain", "-w", "--json", f.name], capture_output=True, text=True)
        if done.returncode:
            skipped += 1
            if "internal" in done.stderr or done.returncode > 1:
                sys.exit(f"{done.stderr}\n{text}")
            continue
        checked += 1
        bits = BITS[case["elem"]]
        for copy, sides in zip(json.loads(done.stdout)["kernels"][0]["copies"], (("from", "to"), ("to", "from"))):
            for which, name in zip(("source", "destination"), sides):
                space = "global" if name == "from" else "shared"
                have = told(copy[which]["cost"], "sectors" if space == "global" else "wavefronts")
                found = count(case, case[name], space, which == "source", bits)
                for got, i in zip(have or (None, None), (0, 1)):
                    want = (min(f[i] for f in found), max(f[i] for f in found))
                    ranges += want[0] < want[1]
                    if got != want:
                        wrong += 1
                        print(f"{('most', 'total')[i]} of the {which}: {got} is told, {want} counted\n{text}")
    if checked < args.count:
        sys.exit(f"only {checked} of the plans compiled")
    print(f"{checked} plans, {ranges} ranges, {skipped} not taken, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
