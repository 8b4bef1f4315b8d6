"""Random plans between devices, many of them spoilt, for meshes.py; what they mean is not for this file to say."""
import math
import random
import re

MOST = 1500  # elements of the whole
MESHES = [(1,), (2,), (2,), (3,), (4,), (4,), (5,), (6,), (7,), (8,), (9,), (10,), (11,), (12,), (13,), (14,), (15,), (16,), (16,), (2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (4, 4), (8, 2), (3, 5), (1, 4), (2, 2, 2), (2, 1, 3), (2, 2, 2, 2)]
TYPES = [("f32", "f32"), ("u8", "u8"), ("s16", "s16"), ("b64", "b64"), ("f64", "f64"), ("f16", "f32"), ("f32", "bf16"), ("s32", "f16"), ("u8", "s64"), ("f32", "s8")]


class Drawn:
    def __init__(self, seed, index):
        r = self.r = random.Random(f"{seed}.{index}.meshes")
        self.number = i = index
        sizes = r.choice(MESHES)
        axes = [f"x{i}_{k}" for k in range(len(sizes))]
        names = "abcde"[:r.randint(1, 4)]
        over = [{axis: r.choice([None, *names, *names]) for axis in axes} for _ in range(2)]
        unit = {}
        for n in names:
            parts = [math.prod(size for axis, size in zip(axes, sizes) if side[axis] == n) for side in over]
            unit[n] = math.lcm(*parts)
        while math.prod(unit.values()) > MOST:
            worst = max(unit, key=unit.get)
            for side in over:
                for axis in axes:
                    side[axis] = None if side[axis] == worst else side[axis]
            unit[worst] = 1
        times = dict.fromkeys(names, 1)
        for _ in range(10):
            n, more = r.choice(names), r.choice([2, 2, 3, 4, 5])
            if math.prod(unit.values()) * math.prod(times.values()) * more <= MOST:
                times[n] *= more
        if r.random() < .4:  # shorter last parts, which may be empty
            for n in r.sample(names, r.randint(1, len(names))):
                times[n] = max(1, unit[n] * times[n] - r.randrange(unit[n]))
                unit[n] = 1
        self.extent = {n: str(unit[n] * times[n]) for n in names}
        param = r.choice([None, *names])
        self.params, self.values = [], [{}]
        if param:
            each = math.prod(unit[n] * times[n] for n in names if n != param)
            promise, step = r.choice([("", 1), (" % 2", 2)])
            if r.random() < .4 and unit[param] > 1:  # the multiple is promised, not written
                promise, step = f" % {unit[param]}", unit[param]
                self.extent[param] = f"P{i}"
            else:
                self.extent[param] = r.choice([f"{unit[param]}*P{i}", f"P{i}*{unit[param]}"])
            self.params = [f"param P{i} : index{promise} in 1 .. 5000;"]
            most = max(1, MOST // each)
            self.values = [{f"P{i}": v} for v in sorted({step, step * max(1, r.randint(1, most) // step)})]
        shown = self.numbered([str(size) for size in sizes], r.choice(names)) if r.random() < .3 else [str(size) for size in sizes]
        kinds = r.choice(TYPES)
        written = r.random() < .75  # with names
        order = [r.sample(names, len(names)) for _ in range(2)] if written else [list(names)] * 2
        self.text = "\n".join(["tcp 1;", *self.params, f"mesh ({', '.join(axes)}) ({', '.join(shown)});" if len(axes) > 1 or r.random() < .2 else f"mesh {axes[0]} ({shown[0]});",
                               *(self.tensor("AB"[s], kinds[s], order[s], over[s], axes, written) for s in range(2)),
                               f"kernel k{i}({r.choice(['A, out B', 'out B, A'])}) {{ copy A -> B; }}", ""])
        self.spoilt = r.random() < .45 and self.spoil(axes)

    def numbered(self, sizes, name):
        """The sizes of the mesh with a param for one or two of them; "name" may be a multiple of it."""
        r, number = self.r, f"G{self.number}"
        k = r.randrange(len(sizes))
        size = int(sizes[k])
        step = r.choice([1, 1, 2])
        least, most = max(1, size - r.randrange(3)), size + r.randrange(3)
        allowed = [n for n in range(least, most + 1) if n % step == 0]
        if not allowed:
            return sizes
        sizes = [number if i == k or (size == int(s) and r.random() < .5) else s for i, s in enumerate(sizes)]
        if r.random() < .6 and not self.params and math.prod(map(int, self.extent.values())) * most <= MOST:
            self.extent[name] = r.choice([f"{number}*{self.extent[name]}", f"{self.extent[name]}*{number}"])
        self.params.insert(0, f"param {number} : index{f' % {step}' if step > 1 else ''} in {least} .. {most};")
        self.values = [{number: n, **v} for n in allowed for v in self.values]
        return sizes

    def tensor(self, name, kind, order, over, axes, written):
        r = self.r
        extents = [self.extent[n] for n in order]
        if r.random() < .3 and not self.params:
            of, step, strides = list(range(len(order))), 1, {}
            r.shuffle(of)
            for m in of:
                strides[m] = step
                step *= int(extents[m])
            modes = ",".join(f"{n}={e}" if written else e for n, e in zip(order, extents))
            layout = f"({modes}):({','.join(str(strides[m]) for m in range(len(order)))})"
        else:
            layout = f"{r.choice(['row', 'row', 'col'])}({', '.join(f'{n}={e}' if written else e for n, e in zip(order, extents))})"
        parts = []
        for axis in r.sample(axes, len(axes)):
            n = over[axis]
            if n is None and (r.random() < .6 or not parts and axis == axes[-1]):
                parts.append(f"{axis}: _")
            elif n is not None:
                parts.append(f"{axis}: {n if written and r.random() < .8 else order.index(n)}")
        return f"tensor {name} : {kind} global {layout} over ({', '.join(parts or [axes[0] + ': _'])}){r.choice(['', '', ' align 16', ' align 128'])};"

    def spoil(self, axes):
        """Changes the text; whether the result is wrong is for the reading to say."""
        r, before = self.r, self.text
        lines = before.splitlines()
        side = r.choice(["A", "B"])
        at = next(k for k, line in enumerate(lines) if line.startswith(f"tensor {side} "))

        def part(old, new, count=1):
            lines[at] = re.sub(old, new, lines[at], count=count)

        way = r.randrange(12)
        if way == 0:
            part(r"(?<=[(=, ])(\d+)(?=[,)])", lambda m: str(int(m[1]) + r.choice([-1, 1, 2])))
        elif way == 1:
            part(r" over \(.*?\)", "")
        elif way == 2:
            part(r"over \((.*?)\)", lambda m: f"over ({m[1]}, {r.choice(axes)}: {r.choice(['_', '0', '1'])})")
        elif way == 3:
            part(r": (\w+)(?=[,)])(?!.*: )", lambda m: f": {r.choice(['z', '9', '0', 'partial', 'a', 'b'])}")
        elif way == 4:
            lines.insert(1, "mesh other (2);")
            part(r"over \((\w+): ", "over (other: ") if r.random() < .7 else part(r"over \(", "over (other: _, ")
        elif way == 5:
            k = next(k for k, line in enumerate(lines) if line.startswith("mesh "))
            lines[k] = re.sub(r"\b\d+(?=[,)]+;)|(?<=\()\d+", lambda m: str(r.choice([0, 2, 3, 4, 6, 8, 17])), lines[k], count=1)
        elif way == 6:
            lines[-1] = re.sub(r"A, out B|out B, A", r.choice(["A, B", "out A, B", "B, out A"]), lines[-1])
        elif way == 7:
            lines[-1] = lines[-1].replace("copy A ->", "copy A(0 .. 1) ->") if r.random() < .5 else lines[-1].replace("copy A -> B", "copy B -> A")
        elif way == 8:
            part(r"(row|col)\(", lambda m: f"{m[1]}({r.choice(['e=1, ', '1, ', 'e=2, '])}")
        elif way == 9:
            part(r"f32|f64|u8|s16|b64|f16|bf16|s32|s64|s8", lambda m: r.choice(["b32", "b64", "f32", "u8"]))
        elif way == 10:
            part(r":\((\d+)", lambda m: f":({int(m[1]) + r.choice([1, 2])}")
        else:
            part(r"(?<=[(, ])([a-e])=", lambda m: f"{r.choice('abcdez')}=")
        self.text = "\n".join(lines) + "\n"
        return self.text != before
