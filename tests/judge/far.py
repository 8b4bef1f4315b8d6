"""Plans whose params are near 2^31 and 2^62, where what is worked out on the way to an index may be larger than the index.

Coordinates of tiles, ends of ranges, bounds of loops and conditions are made of such params.  Most of what they name is outside the
tensors, which are small, so nothing is read or written there.  A launcher may say that something does not fit 64 bits; whatever it
launches has to be right, and no sum of signed integers may overflow on the way.
"""
from generate import Draw, Drawn

NEAR = (2**31 - 1, 2**31, 2**32, 2**33 + 1, 2**40, 2**61, 2**62)
BY = (2, 3, 8, 64, 1000, 65536, 2**31 - 1, 2**31, 2**32 + 1, 2**40)


class Far(Draw):
    """Draws such a plan."""

    def plan(self):
        r, me = self.r, self.id
        self.names = [f"P{me}", f"Q{me}"]
        decls = []
        for name in self.names:
            most = r.choice([*NEAR, None, 100])
            by = r.choice([1, 1, 1, 2, 8, 64])
            low = r.choice([0, 1, by])
            decls.append(f"param {name} : index{f' % {by}' if by > 1 else ''} in {-(-low // by) * by} .. {most // by * by};" if most else
                         f"param {name} : index{f' % {by}' if by > 1 else ''};")
            far = [n + d for n in NEAR for d in (-by, -1, 0, 1) if most is None or n + d <= most]
            self.tries[name] = [n for n in far + [1, 2, 3, 7, 64, 64] if n > 0] + ([most, most - 1, most // 2] if most else [2**63 - 1])
        self.blocks, self.steps = r.choice([1, 2, 3]), r.choice([1, 1, 2, 3])
        self.tile = [r.choice([1, 2, 4, 8]), r.choice([4, 8, 16])]
        size = [t * r.choice([1, 2, 3]) + r.choice([0, 0, 1]) for t in self.tile]
        pitch = None
        if r.percent(20):
            pitch = f"L{me}"
            decls.append(f"param {pitch} : index in 64 .. 1099511627776;")
            self.tries[pitch] = [64, 2**31, 2**32 + 1, 2**40]
        element = r.choice(["u8", "u8", "f32", "u16"])
        wide = f"({size[0]},{size[1]})"
        # a tensor of one row may have any pitch
        decls.append(f"tensor A{me} : {element} global row{wide};" if not pitch else
                     f"tensor A{me} : {element} global (1,{size[1]}):({pitch},1);")
        out = [self.tile[0] * self.blocks, self.tile[1] * self.steps]
        threads = r.choice([8, 16, 32])
        self.loop = ("0", str(self.steps))
        if r.percent(35):
            begin = self.wide()
            self.loop = (begin, f"{begin} + {self.steps}")
        tiled = f"tile({r.choice(['universal(%d)' % self.bits(element), 'auto(128)'])}, thr=({r.choice([1, 2])},{r.choice([4, 8])}))"
        shape = f"({self.tile[0]},{self.tile[1]})"
        step = "i" if self.loop[0] == "0" else f"i - ({self.loop[0]})"
        there = f"local_tile(B{me}, {shape}, (block.x,{step}))"
        kind, head, body, formals = r.random(), [], [], f"A{me}, inout B{me}"
        at = [self.index(), self.index() if r.percent(40) else "0"]
        if r.percent(50):
            at.reverse()
        far = f"local_tile(A{me}, {shape}, ({at[0]},{at[1]}))"
        if kind < 0.15:  # one element, that is there
            inside = [f"({self.index()}) % {size[0] if not pitch else 1}", f"({self.index()} + tid) % {size[1]}"]
            decls.append(f"tensor B{me} : {element} global row({self.blocks},{threads * self.steps});")
            body = [f"copy A{me}({inside[0]}, {inside[1]}) -> B{me}(block.x, {threads}*({step}) + tid) with universal({self.bits(element)});"]
        elif kind < 0.3:  # a halo
            lo = [f"{self.index()} - {r.choice([0, 1, 5])}", f"{self.index()} - {r.choice([0, 1, 5])}"]
            lo = [x if r.percent(60) else "0" for x in lo]
            far = f"A{me}({lo[0]} .. {lo[0]} + {self.tile[0]}, {lo[1]} .. {lo[1]} + {self.tile[1]})"
        if not body:
            decls.append(f"tensor B{me} : {element} global row({out[0]},{out[1]});")
            if kind < 0.7 or pitch:
                head = [f"shared s : {element} row{shape}" + (" stages 2;" if r.percent(30) and self.steps > 1 else ";")]
                body = [f"copy {far} -> s with {tiled} pad {r.choice([0, 7])};", f"copy s -> {there} with {tiled};"]
            elif kind < 0.85:
                body = [f"copy {there.replace('B', 'A')} -> {far.replace('A', 'B')} with {tiled};"]
                decls[-1] = f"tensor B{me} : {element} global row{wide};"
                decls[-2] = f"tensor A{me} : {element} global row({out[0]},{out[1]});"
            else:  # in place, or where both end
                decls[-1] = f"tensor B{me} : {element} global row{wide};"
                body = [f"copy {far} -> {far.replace('A', 'B')} with {tiled};"]
        piped = head and "stages" in head[0]
        lines = ["tcp 1;"] + decls + [f"kernel k{me}({formals}) grid {self.blocks} threads {threads} {{"] + ["  " + h for h in head]
        if piped:
            lines += [f"  pipeline i in {self.loop[0]} .. {self.loop[1]} {{", "    load { " + body[0] + " }", "    use { " + body[1] + " }", "  }", "}"]
        else:
            lines += [f"  for i in {self.loop[0]} .. {self.loop[1]} {{"] + ["    " + b for b in body] + ["  }", "}"]
        drawn = Drawn("\n".join(lines) + "\n", f"k{me}", self.tries)
        drawn.far = True
        return drawn

    @staticmethod
    def bits(element):
        return int(element[1:])

    def wide(self):
        """An expression of params, mostly large."""
        r = self.r
        p, q = r.sample(self.names, 2)
        return r.choice([p, p, f"{p}*{q}", f"{p}*{r.choice(BY)}", f"{p}*{r.choice(BY)} - {p}", f"{p}/{r.choice(BY)}", f"{p} + {q}",
                         f"({p} + {r.choice(BY)})/{r.choice(BY)}", f"ceil_div({p},{r.choice(BY)})", f"{p}*{q}/{r.choice(BY)}"])

    def index(self):
        """An expression that depends on the block, on the step, or on params alone."""
        r = self.r
        var = r.choice(["block.x", "block.x", "i", "i", "0"])
        a, b = self.wide(), self.wide()
        return r.choice([
            a, f"{var}*({a})", f"{var}*({a}) + {b}", f"{var} + {a}", f"{var}*({a}) + {var}", f"({var} + {a}) % {r.choice(BY)}",
            f"({var}*({a}) + {b}) / {r.choice(BY)}", f"({var} + {a}) % {r.choice(self.names)}" if r.percent(20) else f"{a} % {r.choice(BY)}",
            f"{r.choice(BY)}*{var}", f"{r.choice(BY)}*{var} + {a}"])
