"""Draws plans with ldmatrix and stmatrix: global and shared memory, a fragment, and back, in part the other way round."""
from math import prod

from generate import Draw, Place
from mma import SHAPE
from pieces import BITS, draw_axis, shared_layout, tup

INSTRUCTIONS = {"f16": ["m16n8k16.f32.f16.f16.f32", "m16n8k8.f16.f16.f16.f16"], "bf16": ["m16n8k16.f32.bf16.bf16.f32"],
                "u8": ["m16n8k32.s32.u8.s8.s32", "m16n8k16.s32.u8.u8.s32", "m8n8k16.s32.u8.s8.s32"],
                "f64": ["m8n8k4.f64.f64.f64.f64"], "f32": ["m16n8k8.f32.tf32.tf32.f32", "m16n8k4.f32.tf32.tf32.f32"]}


class Matrices(Draw):
    """Draws such a plan; all but what is copied how is as in others."""

    def shape(self):
        r = self.r
        self.params.append("arch sm_90;")
        self.rank, self.warps, self.named, self.all_named = 2, 0, False, False
        self.element = r.choice(["f16", "f16", "bf16", "u8", "f32", "f64"])
        self.bits = BITS[self.element]
        if self.bits == 64 or r.percent(50):
            self.operand()
        else:
            self.side_by_side()
        self.tile = [n * (r.choice([1, 1, 2, 3]) if n < 64 else 1) for n in self.unit]
        self.whole_tile = self.tile
        static = r.percent(40)
        self.axes = [draw_axis(r, self.params, self.tries, f"{'MN'[m]}{self.id}", self.tile[m], static, narrow=True) for m in range(2)]
        self.whole = all(a.whole for a in self.axes)

    def operand(self):
        """An operand's arrangement; one that belongs to several warps is wrong."""
        r, name = self.r, self.name("mma")
        which = r.choice("ABC" if self.bits in (16, 64) else "AB")
        instruction = r.choice(INSTRUCTIONS[self.element])
        size = [int(n) for n in SHAPE.match(instruction).groups()]
        own = {"A": (0, 2), "B": (1, 2), "C": (0, 1)}[which]
        warps = [r.choice([1, 2]) if m in own or r.percent(4) else 1 for m in range(3)]
        tile = [n * w * (r.choice([1, 2]) if m in own else 1) for m, (n, w) in enumerate(zip(size, warps))]
        self.decls.append(f"tiled_mma {name} = mma({instruction}, warps={tup(warps)}, tile={tup(tile)});")
        self.arrangement = f"like=operand_{which}({name})"
        self.lanes = 32 * prod(warps)
        self.unit = [tile[m] for m in own]
        self.values = prod(self.unit) // (32 * prod(warps[m] for m in own))
        self.wide = r.choice([1, 2, 2, 4] if which != "A" else [1, 2, 4, 4])
        self.trans = self.bits == 16 and r.percent(40)
        self.lead = 0 if self.trans else 1

    def side_by_side(self):
        """8x8 matrices side by side: a layout of (thread, value), where a "reach" is how far they go along the rows and across."""
        r, each = self.r, 32 // self.bits
        self.wide, self.lead, self.trans = r.choice([1, 2, 4]), r.choice([0, 1]), self.bits < 32 and r.percent(45)
        reach = [128 // self.bits, 8]
        parts = {key: (r.choice([0, 1]), n) for key, n in
                 [("first", 2 if self.wide > 1 else 1), ("second", 2 if self.wide > 2 else 1), ("warps", r.choice([1, 1, 2])),
                  ("more", r.choice([1, 1, 2]))]}
        step, keys = {}, list(parts)
        r.shuffle(keys)
        for key in keys:
            side, n = parts[key]
            step[key] = (side, reach[side])
            reach[side] *= n
        self.unit = reach if self.lead == 0 else reach[::-1]
        stride = [1, reach[0]] if self.lead == 0 else [reach[1], 1]

        def along(side, n=1):
            return n * stride[side]
        four, eight = along(0, each), along(1)  # a lane's part of a row, and the row
        own, own_stride = [each], [along(0)]
        if self.trans:
            half = 16 // self.bits
            four, eight = along(1, 2), along(0, half)
            own, own_stride = [half, 2], [along(0), along(1)]
        last = ["first", "second", "more"]
        values = own + [parts[key][1] for key in last]
        strides = own_stride + [along(*step[key]) for key in last]
        self.lanes = 32 * parts["warps"][1]
        self.values = prod(self.unit) // self.lanes
        self.arrangement = (f"tv=((4,8,{parts['warps'][1]}),{tup(values)}):(({four},{eight},{along(*step['warps'])}),{tup(strides)}), "
                            f"tile={tup(self.unit)}")

    def matrix(self, name, trans):
        """Declares ldmatrix or stmatrix; returns the tiled copy's name."""
        r = self.r
        of = f"({self.element})" if self.bits != 16 or r.percent(20) else ""
        copy = self.name("t")
        if self.bits == 64:  # no matrix has such elements
            self.decls.append(f"tiled_copy {copy} = tile(auto({r.choice([64, 128])}), {self.arrangement});")
            return copy
        self.decls.append(f"tiled_copy {copy} = tile({name}.x{self.wide}{'.trans' if trans else ''}{of}, {self.arrangement});")
        return copy

    def buffer(self, lead, stages=""):
        """A shared buffer of rows of 16 bytes, plain, padded or swizzled; now and then one in which they are not together."""
        r, name, unit = self.r, self.name("s"), 128 // self.bits
        n, m = self.tile[lead], self.tile[1 - lead]
        pitch, swizzle = n, ""
        kind = r.random()
        if kind < 0.35:
            pitch += unit * r.choice([1, 1, 2, 3])
        elif kind < 0.4:
            pitch += r.choice([1, 4, unit // 2])
        elif kind < 0.8 and n * m & (n * m - 1) == 0:
            base, top = unit.bit_length() - 1, (n * m).bit_length() - 1
            bits = r.randint(0, min(3, (top - base) // 2))
            base -= 1 if r.percent(4) else 0
            swizzle = f"Sw<{bits},{base},{r.randint(bits, max(bits, top - base - bits))}> o 0 o " if bits else ""
        text = f"{swizzle}{tup(self.tile)}:{tup([1, pitch] if lead == 0 else [pitch, 1])}"
        if r.percent(5):
            text, lead = shared_layout(r, self.tile)
        self.before.append(f"shared {name} : {self.element} {text}{stages};")
        return Place(name, "shared", self.element, lead, name)

    def chain(self):
        r, inside, e = self.r, self.pipeline is not None, self.element
        loads = inside or r.percent(70)
        stores = not loads or r.percent(35)
        self.threads = max(self.threads, self.lanes)
        filled = not self.whole and r.percent(30)
        source, source_at = self.tensor("A", e, True)
        target, target_at = self.tensor("B", e, False, padded=filled)
        self.formals += [source, "out " + target]
        pad = " pad 0" if not self.whole and r.percent(95) else ""
        own, reg = self.name("t"), self.name("r")
        width = r.choice([a for a in (8, 16, 32, 64, 128) if a >= self.bits])
        self.decls.append(f"tiled_copy {own} = tile(auto({width}), {self.arrangement});")
        slices = self.bits < 64 and r.percent(35)  # what a thread addresses, tile by tile
        rounds = [n // unit for n, unit in zip(self.tile, self.unit)]
        self.before.append(f"frag {reg} : {e} {tup([self.values] + rounds)};" if slices else f"frag {reg} : {e} like {own};")
        if loads:
            first = self.buffer(self.lead, self.stages if inside else "")
            self.copy(self.load if inside else self.use, source_at(False), first, False, pad)
            self.lanes_copy(slices and rounds, first.text, reg, self.matrix("ldmatrix", self.trans), True)
        else:
            self.use.append(f"copy {source_at(False).text} -> {reg} with {own}{pad};")
        if stores:
            other = self.bits == 16 and r.percent(50)  # along the other mode, in the other form
            second = self.buffer(1 - self.lead if other else self.lead)
            self.lanes_copy(slices and rounds, second.text, reg, self.matrix("stmatrix", self.trans != other), False)
            self.copy(self.use, second, target_at(False), False)
        else:
            self.use.append(f"copy {reg} -> {target_at(False).text} with {own};")

    def lanes_copy(self, rounds, shared, reg, tiled, loads):
        """Adds a copy between "shared" and the fragment; with "rounds" tile by tile along a mode, by a thread's part."""
        if not rounds:
            self.use.append(f"copy {shared} -> {reg} with {tiled};" if loads else f"copy {reg} -> {shared} with {tiled};")
            return
        part, step, m = self.name("p"), self.name("q"), self.r.randrange(2)
        at = tup(["_"] + [step if i == m else "_" for i in range(2)])
        sides = [f"{part}{at}", f"{reg}{at}"]
        self.use += [f"let {part} = partition_{'src' if loads else 'dst'}({tiled}, {shared});", f"for {step} in 0 .. {rounds[m]} {{",
                     f"  copy {' -> '.join(sides if loads else sides[::-1])} with {tiled};", "}"]
