#!/usr/bin/env python3
"""Random edges of ldmatrix and stmatrix against brute force: the lanes of a warp make an access together, or none of them does.

usage: together.py TCPC [--count N] [--seed S] [--run N] [--keep FOLDER]

What the judge asks is only about elements: along each mode, each access of each warp has all elements of its matrices inside, or none,
for every value of the params.  Such a plan must compile, any other one must not.  The first --run of those that compile are run on the
host.
"""

import argparse
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import seeds


class Plan:
    """A kernel that copies A to B, through shared memory and a fragment."""

    def __init__(self, r, number):
        self.r, self.id = r, number
        self.count, self.trans, self.store = r.choice([1, 2, 4]), r.random() < 0.4, r.random() < 0.35
        self.lead = r.choice([0, 1])  # the mode along which shared memory is contiguous
        self.arrange()
        self.loops = [r.randint(1, 3) for _ in range(r.choice([1, 1, 2]))]
        self.own_warp = self.warps == 1 and r.random() < 0.4
        self.launched = r.choice([2, 4]) if self.own_warp else self.warps
        self.index = [self.draw_index(m) for m in range(2)]
        self.extent = [self.draw_extent(m) for m in range(2)]

    def arrange(self):
        """How matrices, accesses and warps follow each other along each mode: (mode, factor, step), in elements."""
        r = self.r
        reach = [8, 8]
        names = ["first", "second", "more", "warps"]
        size = {"first": 2 if self.count > 1 else 1, "second": 2 if self.count > 2 else 1, "more": r.choice([1, 1, 2]), "warps": r.choice([1, 2, 2, 4])}
        r.shuffle(names)
        self.part = {}
        for name in names:
            mode = r.choice([0, 1])
            self.part[name] = (mode, size[name], reach[mode])
            reach[mode] *= size[name]
        self.tile, self.warps = reach, size["warps"]

    def begins(self, *names):
        """Where the combinations of these parts begin."""
        for at in itertools.product(*(range(self.part[n][1]) for n in names)):
            place = [0, 0]
            for name, i in zip(names, at):
                mode, _, step = self.part[name]
                place[mode] += i * step
            yield place

    def draw_index(self, mode):
        """A coordinate of local_tile: a factor of each loop, of the warp, and a constant."""
        r = self.r
        factor = [r.choice([0, 1, 1, 2]) for _ in self.loops]
        if mode == 0 and not any(factor):
            factor[0] = 1
        return factor, r.choice([0, 1, 1, 3]) if self.own_warp else 0, r.choice([0, 0, 1])

    def tiles(self, mode, loops, warp):
        factor, by_warp, first = self.index[mode]
        return sum(f * i for f, i in zip(factor, loops)) + by_warp * warp + first

    def most(self, mode):
        return (self.tiles(mode, [n - 1 for n in self.loops], self.launched - 1) + 1) * self.tile[mode]

    def draw_extent(self, mode):
        """(lo, hi, multiple) of the extent; a number if lo is hi."""
        r, most = self.r, self.most(mode)
        unit = r.choice([4, 8, 8, 16, 16, 32, self.tile[mode]])
        n = max(1, r.randint(1, most + 16) // unit) * unit
        if r.random() < 0.6:
            return n, n, n
        return unit, max(unit, most // unit * unit), unit

    def uniform(self, extent):
        """Whether each access of each warp is inside or outside as a whole."""
        wide = [0, 0]
        for m, n in (self.part["first"][:2], self.part["second"][:2]):
            wide[m] = max(wide[m], n)
        matrices = list(self.begins("first", "second"))
        accesses = list(self.begins("more"))
        warps = list(self.begins("warps")) * (self.launched if self.own_warp else 1)
        for loops in itertools.product(*map(range, self.loops)):
            for w, own in enumerate(warps):
                for more in accesses:
                    inside = set()
                    for matrix in matrices:
                        for mode in range(2):
                            at = self.tiles(mode, loops, w) * self.tile[mode] + own[mode] + more[mode] + matrix[mode]
                            # along this mode, as each bound is asked by itself
                            inside |= {(mode, at + k < extent[mode]) for k in range(8)}
                    if any({(m, True), (m, False)} <= inside for m in range(2)):
                        return False
        return True

    def extents(self):
        return itertools.product(*(range(lo, hi + 1, by) for lo, hi, by in self.extent))

    def right(self):
        return all(self.uniform(e) for e in self.extents())

    def layout(self):
        stride = [1, self.tile[0]]
        row, across = stride[self.lead], stride[1 - self.lead]
        t, l, own = (2 * across, row, across) if self.trans else (2 * row, across, row)
        part = {name: (n, step * stride[mode]) for name, (mode, n, step) in self.part.items()}
        names = ("first", "second", "more")
        return (f"tv=((4,8,{part['warps'][0]}),(2,{','.join(str(part[n][0]) for n in names)})):"
                f"(({t},{l},{part['warps'][1]}),({own},{','.join(str(part[n][1]) for n in names)})), tile=({self.tile[0]},{self.tile[1]})")

    def text(self):
        i, lines, sizes = self.id, [], []
        for m, (lo, hi, by) in enumerate(self.extent):
            sizes.append(str(lo) if lo == hi else f"{'RC'[m]}{i}")
            if lo != hi:
                lines.append(f"param {sizes[m]} : index % {by} in {lo} .. {hi};")
        name = f"{'st' if self.store else 'ld'}matrix.x{self.count}{'.trans' if self.trans else ''}"
        lines.append(f"tiled_copy t{i} = tile({name}, {self.layout()});\ntiled_copy o{i} = tile(auto(32), {self.layout()});")
        lines += [f"tensor {a}{i} : f16 global row({sizes[0]},{sizes[1]}) align 16;" for a in "AB"]
        room = [-(-max(self.most(m), self.extent[m][1]) // 8) * 8 for m in range(2)]
        layout = f"(({room[0]},{room[1]}):({'1,%d' % room[0] if self.lead == 0 else '%d,1' % room[1]}))"[1:-1]
        lines.append(f"kernel k{i}(A{i}, inout B{i}) threads {32 * self.launched} {{\n  shared s : f16 {layout};")
        plain = f"tile(auto(16), thr=({32 * self.launched},1), val=(1,1))"
        part = f"s(0 .. {sizes[0]}, 0 .. {sizes[1]})"
        if not self.store:
            lines.append(f"  copy local_tile(A{i}, ({room[0]},{room[1]}), (0,0)) -> s with {plain} pad 0;")
        var = "ijk"
        for n, count in enumerate(self.loops):
            lines.append(f"  for {var[n]} in 0 .. {count} {{")
        index = []
        for factor, by_warp, first in self.index:
            terms = [f"{f}*{var[n]}" for n, f in enumerate(factor) if f] + ([f"{by_warp}*warp"] if by_warp else []) + ([str(first)] if first else [])
            index.append(" + ".join(terms) or "0")
        at = f"({self.tile[0]},{self.tile[1]}), ({index[0]},{index[1]})"
        lines.append(f"    frag q : f16 like t{i};")
        if self.store:
            lines.append(f"    copy local_tile(A{i}, {at}) -> q with o{i} pad 0;\n    copy q -> local_tile({part}, {at}) with t{i};")
            lines.append(f"    copy local_tile({part}, {at}) -> local_tile(B{i}, {at}) with o{i};")
        else:
            pad = " pad 0" if self.r.random() < 0.5 else ""
            lines.append(f"    copy local_tile({part}, {at}) -> q with t{i}{pad};\n    copy q -> local_tile(B{i}, {at}) with o{i};")
        lines += ["  " + "}" * len(self.loops), "}"]
        return "\n".join(lines) + "\n"


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("tcpc")
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--run", type=int, default=0)
    p.add_argument("--keep", type=pathlib.Path)
    p.add_argument("--show", action="store_true")
    o = p.parse_args()
    seed = seeds.new_seed() if o.seed is None else o.seed
    print(f"seed {seed}")
    head, bad, seen, runs = "tcp 1;\narch sm_90;\n", 0, {True: 0, False: 0}, []
    others, unknown = {}, 0
    for n in range(o.count):
        plan = Plan(random.Random(f"{seed} {n}"), n)
        text, right = plan.text(), plan.right()
        done = subprocess.run([o.tcpc, "-w", "-", "-o", "/dev/null"], input=head + text, capture_output=True, text=True, timeout=20)
        ok = done.returncode == 0
        asked = "lane to lane" in done.stderr or "all must have their elements" in done.stderr or "at the edge an access" in done.stderr
        error = done.stderr.split("\n")[0]
        if right and not ok and "are not known to be multiples" in error:
            unknown += 1  # whether an end lies inside a row is decided by divisors alone
        elif done.returncode not in (0, 1) or ok != right and (ok or asked):
            bad += 1
            print(f"{n}: {'right' if right else 'wrong'}, but {'it compiles' if ok else 'refused'}: {error}")
            if o.keep:
                o.keep.mkdir(parents=True, exist_ok=True)
                (o.keep / f"{n}.tcp").write_text(head + text)
        elif ok or asked:
            seen[right] += 1
            if ok and len(runs) < o.run:
                runs.append(text)
        else:
            others[error.split("error: ")[-1][:60]] = error
    print(f"{seen[True]} right, {seen[False]} refused, {unknown} refused though right, {bad} bad")
    bad += unknown > max(2, o.count // 50)
    if o.show:
        print(*others.values(), sep="\n")
    if min(seen.values()) < o.count // 10:
        print("too few of one kind")
        bad += 1
    if runs:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "together.tcp"
            path.write_text(head + "".join(runs))
            done = subprocess.run([o.tcpc, "run", "--host", "-w", path], capture_output=True, text=True)
        fine = done.stdout.count(": ok")
        print(f"{fine} of {len(runs)} ran right")
        if fine != len(runs):
            bad += 1
            print(done.stdout + done.stderr)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
