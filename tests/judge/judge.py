"""What a plan means, element by element, from docs/language.md alone.

"judge(text, kernel, params)" runs a kernel's blocks one after the other, each statement for all threads, and returns for each
output what each of its elements becomes.  It knows nothing of barriers, widths and pipelines: a pipeline is the loop over its
parts in order.  What breaks a rule raises Breach; what this judge does not read raises Unsupported.

An element is (tensor, offset, types) when it was read from a tensor, (None, number, types) when the plan gave it; "types" are those
that it went through after its own.  Offsets count elements from the tensor's pointer.
"""
from math import prod

from moves import Copies
from plan import Let, Plan, Values
from tiled import TiledCopy, from_map
from view import Breach, Buffer, Tup, Unsupported, View, as_layout, items_of, number, plain, shape_of

MOST_STEPS = 400_000  # elements looked at in one judgement


class TooLarge(Exception):
    """More than is worth looking at."""


class Verdict:
    """What a kernel does: "outputs" of each tensor it writes {offset: element}, "tensors" {name: Buffer} of all it is given."""

    def __init__(self, outputs, tensors, sizes, threads, grid, moved, idle=False):
        self.outputs, self.tensors, self.sizes = outputs, tensors, sizes
        self.threads, self.grid, self.moved = threads, grid, moved
        self.idle = idle  # a copy never has an element


def span(buf):
    """How many elements lie from the tensor's pointer to its last one."""
    if not prod(buf.ext):
        return 0
    if any(s < 0 for s in buf.st) or buf.off < 0:
        raise Unsupported("a negative stride")
    if not buf.sw:
        return buf.off + sum((n - 1) * s for n, s in zip(buf.ext, buf.st)) + 1
    return max(buf_places(buf)) + 1


def buf_places(buf):
    if prod(buf.ext) > MOST_STEPS:
        raise TooLarge()
    return buf.view(plain(Tup(buf.ext))).places()


def mentions(part, name):
    """Whether an expression or statements have the name "name"."""
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, (list, tuple)):
        return part[:2] == ("name", name) if part[:1] == ("name",) else any(mentions(x, name) for x in part)
    return False


def may_write(statements, name):
    """Whether a statement may write "name": a copy to it, or one that may hand it on."""
    for s in statements:
        bodies = [s["body"]] if s["kind"] == "for" else [body for _, body in s["parts"]] if s["kind"] == "pipeline" else []
        part = s["dst"] if s["kind"] == "copy" else () if bodies else s
        if mentions(part, name) or any(may_write(body, name) for body in bodies):
            return True
    return False


class Kernel(Copies):
    """One judgement."""

    def __init__(self, plan, name, params, indices=None):
        self.values = Values(plan, params)
        self.values.declare()
        self.function = plan.functions[name]
        self.steps, self.moved, self.converted = 0, 0, {}
        self.boxes, self.moves_some, self.joined, self.was_read = {}, {}, set(), set()
        self.width = None  # the threads of a role
        self.device = "device" in self.function["words"]
        if "extern" in self.function["words"]:
            raise Unsupported("'extern'")
        self.formals(indices or {})
        grid = self.function["grid"]
        extents = [number(n) for n in items_of(self.values.value(grid))] if grid else [1]
        if len(extents) > 3:
            raise Breach("a grid of more than three axes")
        self.grid = extents + [1] * (3 - len(extents))
        threads = self.function["threads"]
        self.threads = self.values.integer(threads) if threads else self.most_threads(self.function["body"])
        if any(n < 0 for n in self.grid) or not 1 <= self.threads <= 1024:
            raise Breach("no such grid")

    def formals(self, indices):
        """Sorts the tensors in the list, and binds the indices."""
        self.given, self.writable, self.readable = [], set(), set()
        scope = {}
        for f in self.function["formals"]:
            if f["index"]:
                scope[f["name"]] = indices[f["name"]]
                continue
            if f["type"]:
                self.values.tensor(f["name"], f["type"])
            buf = self.values.tensors.get(f["name"])
            if buf is None:
                raise Unsupported(f"the formal {f['name']}")
            buf.index = len(self.given)
            self.given.append(buf)
            if f["dir"] != "in":
                self.writable.add(buf)
            if f["dir"] != "out":
                self.readable.add(buf)
        self.values.scopes.append(scope)
        self.written = {buf: {} for buf in self.writable}  # offset: (element, block)
        self.read_by = {buf: {} for buf in self.writable & self.readable}

    def most_threads(self, body):
        """The threads of a block when the plan does not say them: those of the largest tiled copy."""
        best = [0]

        def walk(e):
            if isinstance(e, tuple):
                if e and e[0] == "name" and isinstance(self.values.scopes[0].get(e[1]), TiledCopy):
                    best[0] = max(best[0], self.values.scopes[0][e[1]].threads)
                if e and e[0] == "call" and e[1] == ("name", "tile"):
                    best[0] = max(best[0], self.values.value(e).threads)
            if isinstance(e, dict):
                if e.get("how") == "by":
                    if e["by"][0] == "map":
                        best[0] = max(best[0], from_map(None, e["by"][1], e["by"][2], None, self.in_map).threads)
                    else:
                        layout = self.values.value(e["by"])
                        if isinstance(layout, View):
                            best[0] = max(best[0], layout.extents()[0])
                for part in e.values():
                    walk(part)
            elif isinstance(e, (list, tuple)):
                for part in e:
                    walk(part)

        walk(body)
        return best[0] or 1

    def in_map(self, expr, names):
        self.values.scopes.append(names)
        try:
            return self.values.value(expr)
        finally:
            self.values.scopes.pop()

    # -- running -------------------------------------------------------------------------------------------------------------

    def run(self):
        count = prod(self.grid)
        if count > 4096:
            raise TooLarge()
        for block in range(count):
            self.block = block
            x, y = self.grid[0], self.grid[1]
            scope = {"block.x": block % x, "block.y": block // x % y, "block.z": block // x // y}
            for name, buf in self.values.tensors.items():
                if buf not in self.given and buf.space != "global":
                    scope[name] = self.fresh(buf, self.values.scopes[0][name])
            self.values.scopes.append(scope)
            self.body(self.function["body"])
            self.values.scopes.pop()
        self.check_outputs()
        outputs = {buf.name: {at: element for at, (element, _) in cells.items()} for buf, cells in self.written.items()}
        return Verdict(outputs, {buf.name: buf for buf in self.given}, {buf.name: span(buf) for buf in self.given},
                       self.threads, self.grid, self.moved, not all(self.moves_some.values()))

    def check_outputs(self):
        for buf, cells in self.written.items():
            if not may_write(self.function["body"], buf.name):
                raise Breach(f"'{buf.name}' is in the list, and never written")
            n = prod(buf.ext)
            if n <= MOST_STEPS and not buf.sw and len(set(buf_places(buf) if n else [])) < n:
                raise Breach(f"different coordinates of '{buf.name}' are one element")
            if buf not in self.readable and not self.device:
                n = prod(buf.ext)
                if n > MOST_STEPS:
                    raise Breach(f"an element of '{buf.name}' is never written") if len(cells) < n else TooLarge()
                for at in buf_places(buf) if n else []:
                    if at not in cells:
                        raise Breach(f"an element of '{buf.name}' is never written")
            for at, block in self.read_by.get(buf, {}).items():
                if at in cells and (block is None or cells[at][1] != block):
                    raise Breach(f"an element of '{buf.name}' is read by a block and written by another one")

    def fresh(self, buf, view):
        """A view of a tensor like "buf" with memory that nobody wrote."""
        new = buf.copy()
        if new.space == "frag":
            new.memory = [{} for _ in range(self.threads)]
        return View(new, view.base, view.modes, view.names, end=view.end)

    def body(self, statements):
        self.values.scopes.append({})
        for s in statements:
            getattr(self, "do_" + s["kind"])(s)
        self.values.scopes.pop()

    def do_nothing(self, _):
        pass

    do_expect = do_sync = do_commit = do_wait = do_nothing

    def do_let(self, s):
        self.values.scopes[-1][s["name"]] = Let(s["value"], list(self.values.scopes))

    def do_shared(self, s):
        kind, loose = s["type"], False
        if kind["like"] is not None:
            self.as_thread(0)
            like = self.values.value(kind["like"])
            self.values.thread = {}
            loose = isinstance(like, TiledCopy)
            layout = plain(Tup([like.values])) if loose else plain(Tup([shape_of(mode) for mode in like.modes]))
        else:
            layout = as_layout(self.values.value(kind["shape"]))
        if s["kind"] == "shared" and s["stages"] is not None:
            count = self.values.integer(s["stages"])
            if not 1 <= count <= 8:
                raise Breach("a buffer of no or more than 8 stages")
            step = max(x for x in layout.columns()[0]) + 1 if layout.size() else 1
            if layout.sw:  # slots stand apart as far as a slot reaches with its swizzle
                step = 1 << (step - 1).bit_length()
                step = max(step, 1 << max(b + m + max(k, 0) for b, m, k in layout.sw))
            names = layout.names
            stage = plain(count, step).modes
            layout = View(None, layout.base, layout.modes + stage, names + (None,), layout.sw)
        buf = Buffer(s["name"], kind["type"], kind["space"], layout)
        buf.loose, buf.stages = loose, s["kind"] == "shared" and s["stages"] is not None
        self.values.scopes[-1][s["name"]] = self.fresh(buf, buf.view(layout))

    do_frag = do_shared

    def bounds(self, s):
        lo, hi = self.values.integer(s["lo"]), self.values.integer(s["hi"])
        if hi - lo > 100_000:
            raise TooLarge()
        return lo, hi

    def do_for(self, s):
        lo, hi = self.bounds(s)
        for i in range(lo, hi):
            self.spend(1)
            self.values.scopes.append({s["name"]: i})
            self.body(s["body"])
            self.values.scopes.pop()

    def do_pipeline(self, s):
        lo, hi = self.bounds(s)
        roles = {}
        for part, n in s["warps"]:
            roles.setdefault(part, []).append(self.values.integer(n))
            if not 1 <= roles[part][-1] <= 31:
                raise Breach("a role without warps, or of too many")
        loaded = {}
        for part, body in s["parts"]:
            if part == "load":
                self.targets(body, loaded)
        for i in range(lo, hi):
            self.spend(1)
            scope = {s["name"]: i}
            for name, whole in loaded.items():
                slot = whole
                if whole.buf.stages:
                    depth = whole.modes[-1].n
                    step = [x * ((i - lo) % depth) for x in whole.modes[-1].v]
                    slot = View(whole.buf, [a + b for a, b in zip(whole.base, step)], whole.modes[:-1], whole.names[:-1], end=whole.end)
                    for at in slot.places():
                        whole.buf.memory.pop(at, None)
                scope[name] = slot
            self.values.scopes.append(scope)
            for part, body in s["parts"]:
                self.width = 32 * roles[part][0] if len(roles.get(part, ())) == 1 else None
                self.body(body)
            self.width = None
            self.values.scopes.pop()

    def targets(self, body, out, outer=()):
        """Finds the shared tensors that the statements "body" fill."""
        def root(e):
            while e[0] in ("call", "member", "bin") or e[0] == "tuple" and len(e[1]) == 1:
                function = e[1][1] if e[0] == "call" and e[1][0] == "name" and e[1][1] not in lets else None
                if function and self.known(function) is None:
                    e = e[2][1 if function.startswith("partition") else 0][1]
                elif e[0] == "bin":
                    e = e[2]
                else:
                    e = e[1] if e[0] != "tuple" else e[1][0][1]
            if e[0] != "name":
                return
            if e[1] in lets:
                root(lets[e[1]])
                return
            found = self.known(e[1])
            if isinstance(found, Let):
                root(found.expr)
            elif isinstance(found, View) and found.buf and found.buf.space == "shared":
                out[e[1]] = found

        lets = dict(outer)
        lets.update((s["name"], s["value"]) for s in body if s["kind"] == "let")
        for s in body:
            if s["kind"] == "copy":
                root(s["dst"])
            elif s["kind"] == "fill":
                root(s["view"])
            elif s["kind"] == "for":
                self.targets(s["body"], out, lets)

    def known(self, name):
        for scope in reversed(self.values.scopes):
            if name in scope:
                return scope[name]
        return None

    # -- who runs ------------------------------------------------------------------------------------------------------------

    def uses(self, e, scopes=None):
        """Which of tid, lane and warp the expression "e" depends on."""
        scopes = self.values.scopes if scopes is None else scopes
        if isinstance(e, list):
            return set().union(*(self.uses(part, scopes) for _, part in e)) if e else set()
        kind = e[0]
        if kind == "name":
            for scope in reversed(scopes):
                if e[1] in scope:
                    found = scope[e[1]]
                    return self.uses(found.expr, found.scopes) if isinstance(found, Let) else set()
            return {e[1]} & {"tid", "lane", "warp"}
        if kind == "call" and e[1][0] == "name" and e[1][1] in ("partition_src", "partition_dst"):
            return {"tid"}
        out = set()
        for part in e[1:]:
            if isinstance(part, (tuple, list)):
                if kind == "tiler":
                    out = out.union(*(self.uses(p, scopes) for p in part))
                else:
                    out |= self.uses(part, scopes)
        return out

    def as_thread(self, thread):
        self.values.thread = {"tid": thread, "lane": thread % 32, "warp": thread // 32}

    def do_fill(self, s):
        value = self.values.value(s["value"])
        hangs = self.uses(s["view"])
        view = self.view_for(0, s["view"])
        self.check_number(value, view.buf.element)
        if view.buf.space == "global":
            raise Breach("'fill' of global memory")
        each = range(self.threads) if view.buf.space == "frag" or hangs else [0]
        for t in each:
            view = self.view_for(t, s["view"])
            cells = view.buf.memory[t] if view.buf.space == "frag" else view.buf.memory
            places = range(100_000) if view.buf.loose else view.places()
            if view.buf.loose:
                view.buf.memory[t] = Filled((None, value, (view.buf.element,)))
                continue
            self.spend(len(places))
            for at in places:
                if at is not None:
                    cells[at] = (None, value, (view.buf.element,))

    def view_for(self, thread, expr):
        self.as_thread(thread)
        try:
            view = self.values.value(expr)
        finally:
            self.values.thread = {}
        if view is None:
            return None
        if not isinstance(view, View) or view.buf is None:
            raise Breach("a copy of what is no view")
        return view

    def check_number(self, value, element):
        if element[0] == "b" and element != "bf16" and value != 0:
            raise Unsupported("a number of bits")
        low, high = {"u": (0, 2 ** int(element[1:] or 0) - 1), "s": (-2 ** (int(element[1:] or 1) - 1), 2 ** (int(element[1:] or 1) - 1) - 1)
                     }.get(element[0], (None, None)) if element[0] in "us" else (None, None)
        if low is not None and (not isinstance(value, int) or not low <= value <= high):
            raise Breach("a number that the type does not have")

    def spend(self, n):
        self.steps += n
        if self.steps > MOST_STEPS:
            raise TooLarge()


class Filled(dict):
    """A fragment of no known size in which each element is the same until it is written."""

    def __init__(self, element):
        super().__init__()
        self.element = element

    def __contains__(self, key):
        return True

    def __missing__(self, key):
        return self.element


def judge(plan, kernel, params, indices=None):
    """Returns the Verdict over "kernel" of "plan", a text or a Plan."""
    if isinstance(plan, str):
        plan = Plan(plan)
    return Kernel(plan, kernel, params, indices).run()
