#!/usr/bin/env python3
"""Random kernels whose loops leave elements of shared memory or fragments as an earlier step wrote them, or slots unread: -Wstale, and
-Wdead-copy of slots, against brute force.

usage: stale.py TCPC [--count N] [--seed S] [--at INDEX] [--keep FOLDER] [--least N] [--most-missed PERCENT]

Loops, rings of slots, parts, guarded copies, fills, fragments, functions.  The judge executes the plan element by element, and keeps of
each element which statement wrote it last, and in which step.  A copy is to be warned of if a read after it in the same step gets an
element that the copy would have written in that step, if its source had it, and that was last written in an earlier step, by a copy
without 'pad'.  What is read counts if it leaves the kernel's memory.  The lines with warnings are compared, both ways.  Of a ring, each
write is to be read before all of its slot is written again; where there is no other warning of what is not read, that is compared too.
"""

import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import product

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import uninit_judge
from expr import cdiv, num, var
from plan import Copy, Fill, Loop, Param, Plan, Tensor, Tiled, View, choices, statements

T = 4  # elements of a tile along its columns; it has two rows
TILED = Tiled("t", (2, T), (1, 1))


@dataclass
class Call:
    """A function that reads a view, and gets an index or none."""

    view: View
    index: object = None

    def lines(self, indent):
        more = f", {self.index}" if self.index else ""
        yield f"{indent}call use{'_n' if self.index else ''}_{self.view.tensor.space}(acc, {self.view.text()}{more});"


class Whole(Plan):
    def text(self):
        head = [f"extern device use_{s}(inout acc : f32 frag (4), x : f32 {s} {'(1,1)' if s == 'frag' else '(2,4)'}) from \"w.cuh\";" for s in ("shared", "frag")]
        head += [h.replace("use_", "use_n_").replace(") from", ", n : index) from") for h in head]
        return super().text().replace("kernel k(", "\n".join(head) + "\nkernel k(", 1)


# -- kernels -------------------------------------------------------------------------------------------------------------------


class Maker:
    def __init__(self, rng):
        self.rng, self.params, self.tensors, self.formals, self.loops, self.sums, self.last = rng, [], [], [], [], False, None
        if rng.random() < 0.5:
            self.params = [Param("N", rng.choice((1, 1, 4)), rng.choice((9, 14)))]
        slots = rng.choice((2, 2, 3))
        self.flat = Tensor("s", [num(2), num(T)], "shared")
        self.wide = Tensor("w", [num(2), num(T * rng.choice((2, 3)))], "shared")
        self.ring = Tensor("r", [num(2), num(T), num(slots)], "shared")
        self.frag = Tensor("f", [num(1), num(1)], "frag")
        self.local = rng.sample((self.flat, self.flat, self.wide, self.ring, self.ring, self.frag), rng.choice((1, 2, 2, 3)))
        self.local = list({t.name: t for t in self.local}.values())

    def size(self):
        return var("N") if self.params and self.rng.random() < 0.7 else num(self.rng.randrange(1, 15))

    def step(self, most=2):
        """A coordinate that depends on the loops, or none."""
        names = [n for n, _ in self.loops]
        if not names or self.rng.random() < 0.1:
            return num(self.rng.randrange(most))
        e = var(self.rng.choice(names[-2:]))
        roll = self.rng.random()
        return e if roll < 0.7 else e + num(1) if roll < 0.85 else num(2) * e

    def part(self, t, inside):
        """A part of 't' as large as a tile.  'inside': it has all its elements."""
        if t is self.ring:
            slots = t.extents[2].a
            e = self.step(slots)
            return View(t, [None, None, num(e.a % slots) if e.op == "num" else e % num(slots)])
        if t is self.wide:
            most = t.extents[1].a // T
            e = num(self.rng.randrange(most)) if inside and self.rng.random() < 0.5 else self.step(most)
            return View(t, [num(0), e % num(most) if inside and e.op != "num" else e], (2, T))
        return View(t, [None, None])

    def source(self):
        """A tile of an argument of its own, or of the wide buffer, beyond whose end it may be."""
        if self.wide in self.local and self.rng.random() < 0.15:
            return self.part(self.wide, False)
        t = Tensor(f"A{len(self.tensors)}", [num(self.rng.choice((1, 2, 2, 2))), self.size()])
        self.tensors.append(t)
        self.formals.append(("in", t))
        return View(t, [num(0), self.step()], (2, T))

    def write(self):
        t = self.rng.choice(self.local)
        dst = self.part(t, True)
        if self.rng.random() < 0.12 and t is not self.frag:
            return Fill(dst) if t is not self.wide else Fill(View(t, [None, None]))
        src = self.source()
        while src.tensor is t:
            src = self.source()
        self.last = dst
        return Copy(src, dst, TILED, 0 if self.rng.random() < 0.15 else None)

    def read(self):
        if self.last and self.rng.random() < 0.6:
            view = self.last
        else:
            view = self.part(self.rng.choice(self.local), True)
        t = view.tensor
        roll = self.rng.random()
        names = [n for n, _ in self.loops]
        if roll < 0.35:
            self.sums = True
            return Call(view, self.rng.choice(names) if names and self.rng.random() < 0.15 else None)
        if roll < 0.45 and self.flat in self.local and t is not self.flat:
            return Copy(view, View(self.flat, [None, None]), TILED)
        at, steps = num(0), num(1)  # each step writes a tile of its own
        for name, count in self.loops:
            at, steps = at * count + var(name), steps * count
        ragged = self.rng.random() < 0.3
        t = Tensor(f"B{len(self.tensors)}", [num(2), self.size() if ragged else steps * num(T)])
        self.tensors.append(t)
        self.formals.append(("inout", t))
        return Copy(view, View(t, [num(0), at], (2, T)), TILED)

    def body(self, depth):
        out, self.last = [], None
        for n in range(self.rng.choice((2, 2, 3))):
            roll = self.rng.random() * (0.75 if n == 0 else 1)
            if depth < 2 and roll < 0.2:
                out.append(self.loop(depth + 1))
            else:
                out.append(self.write() if roll < 0.6 else self.read())
        if not any(isinstance(x, (Call, Loop)) or (isinstance(x, Copy) and x.dst.tensor.space == "global") for x in out):
            out.append(self.read())
        return out

    def loop(self, depth):
        n = num(self.rng.choice((2, 3, 3, 4))) if self.rng.random() < 0.6 or not self.params else cdiv(var("N"), T)
        name = "ijk"[len(self.loops)] if not self.loops else self.loops[-1][0] + "j"
        self.loops.append((name, n))
        x = Loop(name, num(0), n, self.body(depth))
        self.loops.pop()
        self.last = None
        return x

    def plan(self):
        first = [Fill(View(t, [None] * len(t.extents))) for t in self.local if self.rng.random() < 0.85]
        body = first + [self.loop(1)]
        if self.rng.random() < 0.2:
            body += [self.read()]
        if self.sums:
            self.local.append(Tensor("acc", [num(4)], "frag"))
            body.insert(0, Fill(View(self.local[-1], [None])))
            self.tensors.append(Tensor("O", [num(4 * 2 * T)]))
            self.formals.append(("out", self.tensors[-1]))
        plan = Whole(self.params, self.tensors, self.formals, [TILED], [], body, self.local, 2 * T)
        if self.sums:
            plan.tiled = [TILED, Tiled("u", (2 * T,), (4,))]
            body.append(Copy(View(self.local[-1], [None]), View(self.tensors[-1], [None]), plan.tiled[1]))
        return plan


# -- the judge -----------------------------------------------------------------------------------------------------------------


@dataclass
class Mark:
    """Who wrote an element last, in which steps; the reads that got it from there, if it was copied on."""

    by: object
    steps: tuple
    stale: tuple = ()  # of (what leaves it out, what loop) that it is stale for


class Run(uninit_judge.Run):
    """'found': the copies to be warned of; 'maybe': what is stale is only copied to other memory of the kernel."""

    def begin(self):
        self.marks, self.steps_now, self.would, self.found, self.maybe = {}, [], [], set(), set()
        self.waiting, self.unread = {}, set()

    def finish(self):
        for writes in self.waiting.values():
            self.unread |= set(writes)

    def slot(self, view):
        return self.value(view.at[2]) if view.tensor.name == "r" and view.at[2] is not None else None

    def wrote(self, x, view, some, whole):
        """To a slot of the ring, 'some' or the 'whole' of it."""
        slots = [self.slot(view)] if self.slot(view) is not None else self.waiting if view.tensor.name == "r" else []
        for slot in list(slots):
            if whole:
                self.unread |= set(self.waiting.pop(slot, []))
            if some:
                self.waiting.setdefault(slot, []).append(id(x))

    def steps(self, loop):
        self.steps_now.append(None)
        for i in super().steps(loop):
            self.steps_now[-1] = (loop.name, id(loop), i)
            yield i
        self.steps_now.pop()

    def tile(self, view):
        """Its elements, by their place in the view; None for those that do not exist."""
        if view.tensor.space == "frag":  # by its place in the tile, as all copies have the same threads
            return {k: ("f", k) for k in product(range(2), range(T))}
        extents, out, ranges, origin = self.extents[view.tensor.name], {}, [], []
        for m, e in enumerate(view.at):
            at = 0 if e is None else self.value(e) * (view.tile[m] if view.tile else 1)
            n = view.tile[m] if view.tile else extents[m] if e is None else 1
            origin.append(at)
            ranges.append(range(n))
        for place in product(*ranges):
            at = tuple(o + p for o, p in zip(origin, place))
            there = all(0 <= a < n for a, n in zip(at, extents))
            key = tuple(p for p, e in zip(place, view.at) if view.tile or e is None)
            out[key] = (view.tensor.name, at) if there else None
        return out

    def statement(self, x):
        now = tuple(self.steps_now)
        if isinstance(x, Call):
            self.waiting.pop(self.slot(x.view), None)
            for e in self.tile(x.view).values():
                self.leaves(self.read(x, e, now), now, x.index)
        elif isinstance(x, Fill):
            self.wrote(x, x.view, False, True)
            for e in self.tile(x.view).values():
                self.marks[e] = Mark(x, now)
        elif x.src.tensor.name != "acc":
            self.move(x, now)

    def move(self, x, now):
        of, to = self.tile(x.src), self.tile(x.dst)
        if any(to[k] and (of[k] or x.pad is not None) for k in to):
            self.waiting.pop(self.slot(x.src), None)
        self.wrote(x, x.dst, any(of.values()), x.pad is not None or all(of.values()))
        for key, e in to.items():
            if e is None:
                continue
            src, stale = of[key], ()
            if src and x.src.tensor.space != "global":
                stale = self.read(x, src, now)
            if x.dst.tensor.space == "global":
                self.leaves(stale, now, None)
                continue
            if src is None and x.pad is None:
                self.would.append((x, now, e))
                continue
            self.maybe |= {w for w, _ in stale}
            self.marks[e] = Mark(x, now, stale)

    def read(self, x, e, now):
        """What 'e' is stale for, read here: pairs of a copy and the loop of the step."""
        mark = self.marks.get(e)
        if mark is None:
            return ()
        stale = set(mark.stale)
        level = next((i for i, (a, b) in enumerate(zip(mark.steps, now)) if a != b), len(now))
        earlier = level < len(now) and level < len(mark.steps) and now[level][1] == mark.steps[level][1]
        if earlier and isinstance(mark.by, Copy) and mark.by.pad is None:
            step = now[: level + 1]
            stale |= {(id(w), now[level][0]) for w, steps, at in self.would if at == e and steps[: level + 1] == step}
        return tuple(stale)

    def leaves(self, stale, now, index):
        """What is stale leaves the kernel's memory here; a function that gets the step may know it."""
        self.found |= {w for w, loop in stale if loop != index}


def judge(plan, rng):
    """(copies to be warned of, those that may be, those with slots that are not read, whether all params were tried)."""
    tried, every = choices(plan, rng, count=20)
    found, maybe, unread = set(), set(), set()
    for values in tried:
        run = Run(plan, values)
        run.block((0, 0, 0))
        run.finish()
        found |= run.found
        maybe |= run.found | run.maybe
        unread |= run.unread
    return found, maybe, unread, every


# -- the comparison --------------------------------------------------------------------------------------------------------------


def lines_of(plan, text):
    """The line of each copy, by its identity."""
    order = [x for x in statements(plan.body) if isinstance(x, Copy)]
    lines = [i + 1 for i, line in enumerate(text.splitlines()) if line.strip().startswith("copy ")]
    return {id(x): n for x, n in zip(order, lines)}


def try_one(tcpc, seed, index, show):
    """('refused', or what differs, or '')"""
    rng = random.Random(f"{seed} stale {index}")
    plan = Maker(rng).plan()
    text = plan.text()
    done = subprocess.run([tcpc, "-", "-o", "/dev/null"], input=text, capture_output=True, text=True, timeout=20)
    if show:
        print("".join(f"{i + 1:3} {line}\n" for i, line in enumerate(text.splitlines())) + done.stderr)
    if done.returncode:
        first = re.search(r"error: (.*)", done.stderr)
        return "refused", re.sub(r"'[^']*'", "'_'", first[1]) if first else done.stderr, text
    said = {int(n) for n in re.findall(r"^[^\s:]*:(\d+):\d+: warning: .*\[-Wstale\]", done.stderr, re.M)}
    found, maybe, unread, every = judge(plan, rng)
    lines = lines_of(plan, text)
    slots = {int(n) for n in re.findall(r"^[^\s:]*:(\d+):\d+: warning: in some steps .*\[-Wdead-copy\]", done.stderr, re.M)}
    lost = {lines[w] for w in unread}
    if show:
        print("slots warned:", slots, "judged:", lost)
    if not slots <= lost and every:
        return "false slot", f"warned {sorted(slots)}, judged {sorted(lost)}", text, False
    if lost - slots and done.stderr.count("[-Wdead-copy]") == len(slots) and "-Wfixed-tile" not in done.stderr:
        return "missed slot", f"warned {sorted(slots)}, judged {sorted(lost)}", text, False
    wanted, allowed = {lines[w] for w in found}, {lines[w] for w in maybe}
    if show:
        print("warned:", said, "judged:", wanted, "allowed:", allowed, "all params" if every else "some params")
    what = "right" if wanted <= said <= allowed else "missed" if said <= allowed else "false" if every else "perhaps false"
    return what, f"warned {sorted(said)}, judged {sorted(wanted)}", text, bool(wanted)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tcpc")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--at", type=int)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--least", type=int, default=0, help="fails when fewer kernels are stale, or fewer are not")
    parser.add_argument("--most-missed", type=float, default=0, help="fails when more per cent of the stale ones get no warning")
    given = parser.parse_args()
    if given.at is not None:
        print(try_one(given.tcpc, given.seed, given.at, True)[:2])
        return 0
    counts, reasons, stale = collections.Counter(), collections.Counter(), 0
    for i in range(given.count):
        what, why, text, *has = try_one(given.tcpc, given.seed, i, False)
        counts[what] += 1
        stale += bool(has and has[0])
        if what == "refused":
            reasons[why] += 1
        elif what != "right":
            print(f"{what} at {i}: {why}")
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"stale-{what}-{i}.tcp").write_text(f"// {why}\n{text}")
    print(", ".join(f"{n} {what}" for what, n in sorted(counts.items())) + f"; {stale} stale")
    print("\n".join(f"  {n} refused: {why}" for why, n in reasons.most_common()))
    others = given.count - counts["refused"] - stale
    missed = 100 * counts["missed"] > given.most_missed * stale
    return 1 if counts["false"] or counts["false slot"] or missed or stale < given.least or others < given.least else 0


if __name__ == "__main__":
    sys.exit(main())
