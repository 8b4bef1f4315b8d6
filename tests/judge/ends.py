"""Plans with ranges whose ends depend on who runs: threads, warps, blocks, steps of loops, and params.

Tiles of such a range, and tiles of these, go beyond its end at times.  The coordinates along one mode come from some of the
variables, those along the other from the rest, so that no element is written twice wherever the ranges begin.
"""
from generate import Draw, Drawn


class Ends(Draw):
    """Draws such a plan."""

    def plan(self):
        r, me = self.r, self.id
        threads, wide = r.choice([8, 16, 32, 64]), r.choice([2, 4, 8])
        blocks, steps = r.choice([1, 2, 3]), r.choice([1, 1, 2, 3])
        self.variables = {f"tid%{wide}": wide, f"tid/{wide}": threads // wide, "block.x": blocks, "i": steps}
        self.tiled = r.percent(25)  # a tiled copy of a block or a warp, otherwise an element or a few for each thread
        if self.tiled:
            self.variables = {"warp": threads // 32, "block.x": blocks, "i": steps} if threads >= 32 and r.percent(50) else {
                "block.x": blocks, "i": steps}
        if threads == 64 and not self.tiled and r.percent(40):
            self.variables = {"lane%4": 4, "lane/4": 8, "warp": 2, "block.x": blocks, "i": steps}
        self.param = f"M{me}" if r.percent(35) else None
        names = [[], []]
        for name in self.variables:
            names[r.randint(0, 1)].append(name)
        self.both = names
        self.size = [None, None]
        self.many = [[r.choice([1, 1, 2, 4]), r.choice([1, 1, 2])] for _ in range(2)]  # by mode: elements, how many of them a tile has
        if self.tiled:
            self.many = [[r.choice([1, 2, 4]), 1], [r.choice([2, 4]), 1]]
        self.modes = [self.mode(m) for m in range(2)]
        extents = [self.extent(m) for m in range(2)]
        if r.percent(15):
            return self.partition(threads, wide, blocks, steps)
        decls = [f"param {self.param} : index in 4 .. 40;"] if self.param else []
        decls.append(f"tensor A{me} : u8 global row(512,64);")
        decls.append(f"tensor B{me} : u8 global row({extents[0]},{extents[1]});")
        element = self.part(f"B{me}")
        shape = f"({self.many[0][0]},{self.many[1][0]})"
        place = f"local_tile(A{me}, {shape}, ({self.coordinate(0, False)},{self.coordinate(1, False)}))"
        how = "universal(8)"
        if self.tiled:
            lanes = r.choice([1, 2, 4, 8])
            how = f"tile(universal(8), thr=({r.choice([1, 2])},{lanes}))"
        form, body = r.random(), []
        if form < 0.45:
            body = [f"copy {place} -> {element} with {how};"]
            formals = f"A{me}, inout B{me}"
        elif form < 0.6:
            body = [f"copy {self.part(f'A{me}')} -> {element} with {how};"]
            formals = f"A{me}, inout B{me}"
            decls[-2] = f"tensor A{me} : u8 global row({extents[0]},{extents[1]});"
        else:  # the range is read
            space = "shared" if self.tiled or r.percent(20) else "frag"
            keep = "frag" if space == "frag" else "shared"
            body = [f"copy {element} -> s with {how} pad {r.choice([0, 7])};", f"copy s -> {place} with {how};"]
            formals = f"B{me}, inout A{me}"
            body.insert(0, f"{keep} s : u8 {shape};")
            if space == "shared" and not self.tiled:
                body[0] = f"shared s0 : u8 ({self.many[0][0]},{self.many[1][0]},{threads});"
                body = [body[0]] + [b.replace(" s ", " s0(_,_,tid) ") for b in body[1:]]
        head = [b for b in body if b.startswith(("shared", "frag"))]
        body = [b for b in body if b not in head]
        lines = ["tcp 1;"] + decls + [f"kernel k{me}({formals}) grid {blocks} threads {threads} {{"] + ["  " + h for h in head]
        loop = [f"  for i in 0 .. {steps} {{"]
        direct = lines + loop + ["    " + b for b in body] + ["  }", "}"]
        drawn = Drawn("\n".join(direct) + "\n", f"k{me}", {self.param: [4, 5, 8, 13, 16, 40]} if self.param else {})
        if not head and r.percent(40):  # the step and the block are indices of a device function
            function = [f"device f{me}({formals}, i : index, b : index) threads {threads} {{"]
            function += ["  " + b.replace("block.x", "b") for b in body] + ["}"]
            tensors = formals.replace("inout ", "")
            text = lines[:-1] + function + lines[-1:] + loop + [f"    call f{me}({tensors}, i, block.x);", "  }", "}"]
            drawn.text, drawn.meant = "\n".join(text) + "\n", drawn.text
        return drawn

    def partition(self, threads, wide, blocks, steps):
        """A thread's elements of a tile of the range, by local_partition."""
        r, me = self.r, self.id
        self.variables = {f"tid%{wide}": wide, f"tid/{wide}": threads // wide, "block.x": blocks, "i": steps}
        self.both, self.many = [["block.x"], ["i"]], [[r.choice([1, 2]), 1], [r.choice([1, 2, 3]), 1]]
        tile = [wide * self.many[0][0], threads // wide * self.many[1][0]]
        cuts, extents, sizes = [], [], [blocks, steps]
        for m in range(2):
            high, most = self.end(m, ("0", 0)) if r.percent(75) else (None, None)
            cuts.append("_" if high is None else f"0 .. {high}")
            extents.append(f"{self.param} + 40" if high and most is None else str(max(most or 1, tile[m] * sizes[m] - r.choice([0, 1, 3]))))
        layout = f"({wide},{threads // wide})" + r.choice(["", f":({threads // wide},1)"])
        decls = [f"param {self.param} : index in 4 .. 40;"] if self.param else []
        decls += [f"tensor A{me} : u8 global row(512,128);", f"tensor B{me} : u8 global row({extents[0]},{extents[1]});"]
        of = f"B{me}" if cuts == ["_", "_"] else f"B{me}({cuts[0]},{cuts[1]})"
        sides = [f"local_partition(local_tile({x}, ({tile[0]},{tile[1]}), (block.x,i)), {layout}, tid)" for x in (f"A{me}", of)]
        lines = ["tcp 1;"] + decls + [f"kernel k{me}(A{me}, inout B{me}) grid {blocks} threads {threads} {{", f"  for i in 0 .. {steps} {{",
                                      f"    copy {sides[0]} -> {sides[1]} with universal(8);", "  }", "}"]
        return Drawn("\n".join(lines) + "\n", f"k{me}", {self.param: [4, 5, 8, 13, 16, 40]} if self.param else {})

    def coordinate(self, m, vary=True):
        """A number for each choice of the variables of mode "m"."""
        names = list(self.both[m])
        if vary:
            self.r.shuffle(names)
        text, scale = [], 1
        for name in names:
            text.append(f"{scale}*({name})" if scale > 1 else f"({name})" if "%" in name or "/" in name else name)
            scale *= self.variables[name]
        self.size[m] = scale
        return " + ".join(text) or "0"

    def end(self, m, low):
        """An end of a range along mode "m" that begins at "low", a (text, most)."""
        r = self.r
        name = r.choice(list(self.variables))
        step, more = r.choice([1, 1, 2, 4, self.many[m][0]]), r.choice([0, 1, 1, 2, 4, 8])
        most = step * (self.variables[name] - 1) + more
        text = f"{step}*({name})" if step > 1 else f"({name})"
        kind = r.random()
        if kind < 0.1:
            most = r.choice([1, 2, 4, 8])
            text = str(most)
        elif kind < 0.25 and self.param:
            text, most = self.param, None
        elif more:
            text = f"{text} + {more}"
        if low[0] != "0":
            text = f"{low[0]} + {text}"
            most = None if most is None else most + low[1]
        return text, most

    def mode(self, m):
        """What is done along mode "m": (range's begin, its end, the tile's coordinate, coordinates within, largest end)."""
        r = self.r
        low = ("0", 0)
        others = self.both[1 - m]
        if others and r.percent(30):
            name = r.choice(others)
            low = (f"({name})", self.variables[name] - 1)
        elif r.percent(20):
            low = ("3", 3)
        if r.percent(75):
            high, most = self.end(m, low)
        else:
            low, high, most = ("0", 0), None, None
        return low[0], high, most, self.coordinate(m)

    def extent(self, m):
        """The tensor's extent: what the range needs, and a few more."""
        low, high, most, _ = self.modes[m]
        all_of_it = self.size[m] * self.many[m][0]
        if high is None:
            return str(max(1, all_of_it - self.r.choice([0, 0, 1, 3])))
        if most is None:
            return f"{self.param} + {self.r.choice([16, 40])}"
        return str(max(most, 1) + self.r.choice([0, 1, 8, 20, 64]))

    def part(self, name):
        """A thread's elements of tensor "name", through its ranges."""
        r = self.r
        cuts = ["_" if high is None else f"{low} .. {high}" for low, high, _, _ in self.modes]
        whole = name + f"({','.join(cuts)})" if set(cuts) != {"_"} else name
        sizes = [self.many[m][0] for m in range(2)]
        kind = r.random()
        if kind < 0.5:  # tiles of the range
            return f"local_tile({whole}, ({sizes[0]},{sizes[1]}), ({self.modes[0][3]},{self.modes[1][3]}))"
        outer = []
        inner = []
        for m in range(2):
            last = self.both[m][-1] if self.both[m] else None
            if last is None:
                outer.append("0")
                inner.append(("0", 1))
                continue
            rest = [v for v in self.both[m] if v is not last]
            text, scale = [], 1
            for v in rest:
                text.append(f"{scale}*({v})")
                scale *= self.variables[v]
            outer.append(" + ".join(text) or "0")
            inner.append((f"({last})", self.variables[last]))
        tile = [sizes[m] * inner[m][1] for m in range(2)]
        big = f"local_tile({whole}, ({tile[0]},{tile[1]}), ({outer[0]},{outer[1]}))"
        if kind < 0.85 or sizes != [1, 1]:
            return f"local_tile({big}, ({sizes[0]},{sizes[1]}), ({inner[0][0]},{inner[1][0]}))"
        return f"{big}({inner[0][0]} .. {inner[0][0]} + 1,{inner[1][0]} .. {inner[1][0]} + 1)"
