"""usage: manual_roles.py TCPC [--count N] [--seed S] [--host K] [--write FILE]: random roles of manual kernels, right and wrong ones.

What tcpc accepts is executed in random orders by the rules of the hardware's barriers: it must come to its end, move the elements that
the steps in order move, and come to no barrier twice. What tcpc refuses must go wrong for some number of steps: two roles wait for each
other, an access meets another one, or a barrier is come to too early. Of the accepted ones, K are executed on the host; with --write,
the right ones are written to a plan FILE instead, for a GPU."""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

MOST = 14  # steps
ROLES = "abcd"
HEAD = """tcp 1;
param N : index in 0 .. 1000;
tiled_copy one = tile(universal(32), thr=(1,32), val=(1,1));
tiled_copy later = tile(cp_async.ca(4), thr=(1,32), val=(1,1));
"""


class Program:
    """Roles, each a list of ("sync" or "arrive", barrier, offset), ("write", buffer, offset) and ("read", buffer, offset, output)."""

    def __init__(self, rng):
        self.roles = [[] for _ in range(rng.choice([2, 2, 2, 3]))]
        self.stages, self.slots = {}, {}
        outputs = 0
        for r in range(1, len(self.roles)):  # a ring from one role to the next
            before = self.roles[r - 1]
            n = rng.randint(1, 4)
            late = rng.choice([0, 0, 0, 1]) if n > 1 else 0
            buffer, full, empty = f"s{r}", f"full{r}", f"empty{r}"
            self.slots[buffer] = n
            self.stages[full] = self.stages[empty] = n
            before += [["sync", empty, -n], ["write", buffer, late], ["arrive", full, 0]]
            self.roles[r] += [["sync", full, 0], ["read", buffer, late, outputs], ["arrive", empty, 0]]
            outputs += 1
        if rng.random() < 0.2:  # all meet in each step
            self.stages["all"] = 1
            for role in self.roles:
                role.insert(rng.choice([0, len(role)]), ["sync", "all", 0])
        if rng.random() < 0.2:
            self.stages["own"] = rng.randint(1, 2)
            rng.choice(self.roles).append(["sync", "own", 0])
        for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
            self.spoil(rng)
        self.outputs = outputs
        self.rounds = rng.choice([0, 0, 0, 2, 3])  # of a loop around; 0: none
        self.meet = rng.choice(["before", "behind", "behind", None if rng.random() < 0.3 else "before"])
        self.later = rng.random() < 0.3  # asynchronous copies
        self.elem = rng.choice(["f32", "f32", "f16"])
        self.warps = [rng.choice([1, 1, 2, 3]) for _ in self.roles]
        self.ragged = rng.random() < 0.3

    def spoil(self, rng):
        role = rng.choice(self.roles)
        what = rng.choice(["drop", "swap", "offset", "offset", "stages", "slots", "kind", "move"])
        i = rng.randrange(len(role)) if role else None
        if what == "stages":
            name = rng.choice(list(self.stages))
            self.stages[name] = max(1, self.stages[name] + rng.choice([-1, 1]))
        elif what == "slots":
            name = rng.choice(list(self.slots))
            self.slots[name] = max(1, self.slots[name] + rng.choice([-1, 1]))
        elif i is None:
            return
        elif what == "drop" and role[i][0] in ("sync", "arrive"):
            del role[i]
        elif what == "swap" and i + 1 < len(role):
            role[i], role[i + 1] = role[i + 1], role[i]
        elif what == "offset":
            role[i][2] += rng.choice([-1, 1])
            if role[i][0] in ("read", "write"):
                role[i][2] %= 3
        elif what == "kind" and role[i][0] in ("sync", "arrive"):
            role[i][0] = "sync" if role[i][0] == "arrive" else "arrive"
        elif what == "move":
            role.insert(rng.randrange(len(role)), role.pop(i))

    def members(self):
        """By barrier: role and statement of all that name it."""
        of = {}
        for r, role in enumerate(self.roles):
            for x in role:
                if x[0] in ("sync", "arrive"):
                    of.setdefault(x[1], []).append((r, x))
        return of

    def text(self, k=""):
        """The declarations and kernel k."""
        t = ""
        width = 32 * max(1, self.rounds) - 5 * self.ragged
        for i in range(self.outputs):
            t += f"tensor A{i}{k} : f32 global row(N,{width});\ntensor B{i}{k} : {self.elem} global row(N,{width});\n"
        formals = ", ".join(f"A{i}{k}, out B{i}{k}" for i in range(self.outputs))
        t += f"manual kernel k{k}({formals}) grid (1) {{\n"
        for name, n in self.slots.items():
            t += f"  shared {name} : f32 row({n},1,32);\n"
        for name in self.members():
            t += f"  barrier {name} stages {self.stages[name]};\n"
        if self.rounds:
            t += f"  for m in 0 .. {self.rounds} {{\n"
        column = "m" if self.rounds else "0"
        if self.rounds and self.meet == "before":
            t += "  sync;\n"
        t += "  roles n in 0 .. N {\n"
        for r, role in enumerate(self.roles):
            t += f"    {ROLES[r]} ({self.warps[r]}) {{\n"
            how = "later" if self.later else "one"
            for x in role:
                at = "n" if x[2] == 0 else f"n {'-' if x[2] < 0 else '+'} {abs(x[2])}"
                if x[0] in ("sync", "arrive"):
                    t += f"      {x[0]} {x[1]} of {at};\n"
                    continue
                slot = f"{x[1]}(({at}) % {self.slots[x[1]]},_,_)"
                if x[0] == "write":
                    t += f"      copy local_tile(A{int(x[1][1:]) - 1}{k}, (1,32), (n,{column})) -> {slot} with {how};\n"
                    t += "      commit; wait 0;\n" if self.later else ""
                else:
                    t += f"      copy {slot} -> local_tile(B{x[3]}{k}, (1,32), (n,{column})) with one;\n"
            t += "    }\n"
        t += "  }\n"
        if self.rounds:
            t += "  sync;\n  }\n" if self.meet == "behind" else "  }\n"
        return t + "}\n"

    # -- the rules --------------------------------------------------------------------------------

    def left(self, steps):
        """Whether a statement of step n is executed: if all that name its barrier have its step."""
        of = self.members()
        low = {b: max(x[2] for _, x in m) for b, m in of.items()}
        high = {b: steps + min(x[2] for _, x in m) for b, m in of.items()}
        return lambda x, n: low[x[1]] <= n + x[2] < high[x[1]]

    def simple_fault(self):
        """What no step of a barrier can be: this is refused whatever the accesses are."""
        for b, m in self.members().items():
            if len({r for r, _ in m}) < len(m):
                return "named twice"
            syncs, arrives = ({x[2] for _, x in m if x[0] == k} for k in ("sync", "arrive"))
            if not syncs:
                return "nobody waits"
            if len(syncs) > 1 or len(arrives) > 1:
                return "different steps"
            if arrives and min(arrives) < min(syncs):
                return "after the end"
        if self.rounds and not self.meet:
            return "no meeting"
        if sum(self.stages[b] for b in self.members()) > 15:
            return "too many"
        return None

    def slot(self, x, n):
        return x[1], (n + x[2]) % self.slots[x[1]]

    def in_order(self, steps):
        """What the steps in order read, by output and step; None: something that was not written."""
        held, out = {}, {}
        for n in range(steps):
            for role in self.roles:
                for x in role:
                    if x[0] == "write":
                        held[self.slot(x, n)] = (x[1], n)
                    elif x[0] == "read":
                        if self.slot(x, n) not in held:
                            return None
                        out[x[3], n] = held[self.slot(x, n)]
        return out

    def goes_wrong(self, steps):
        """By the graph of all events, each with those that it comes after."""
        there = self.left(steps)
        events, after, at = [], [], {}
        for r, role in enumerate(self.roles):
            last = None
            for n in range(steps):
                for x in role:
                    if x[0] in ("sync", "arrive") and not there(x, n):
                        continue
                    for kind in ("come", "pass") if x[0] == "sync" else ("come",) if x[0] == "arrive" else ("do",):
                        e = len(events)
                        events.append((r, n, x, kind))
                        after.append([] if last is None else [last])
                        if kind in ("come", "pass"):
                            at.setdefault((x[1], n + x[2]), []).append((e, kind))
                        last = e
        for group in at.values():
            for e, kind in group:
                if kind == "pass":
                    after[e] += [f for f, other in group if other == "come"]
        before = [None] * len(events)  # bit sets, in an order in which all can happen
        left, done = set(range(len(events))), True
        while left and done:
            done = [e for e in left if all(before[f] is not None for f in after[e])]
            for e in done:
                bits = 1 << e
                for f in after[e]:
                    bits |= before[f]
                before[e] = bits
                left.discard(e)
        if left:
            return "deadlock"
        comes = lambda f, e: f != e and before[e] >> f & 1  # noqa: E731
        for (b, step), group in at.items():
            for f, k in at.get((b, step + self.stages[b]), []):
                if k == "come" and not all(comes(e, f) for e, kind in group if kind == "come"):
                    return "comes too early"
        for e, (r, n, x, kind) in enumerate(events):
            for f, (q, m, y, other) in enumerate(events):
                if kind != "do" or other != "do" or r == q or "write" not in (x[0], y[0]):
                    continue
                if self.slot(x, n) == self.slot(y, m) and (n, r) < (m, q) and not comes(e, f):
                    return "race"
        return None

    def execute(self, rng, steps):
        """Executes in a random order by the rules of the hardware; returns what is wrong."""
        there, of = self.left(steps), self.members()
        base, number = {}, 1
        low = {b: max(x[2] for _, x in m) for b, m in of.items()}
        for b in of:
            base[b] = number
            number += self.stages[b]
        came = {i: {} for i in range(1, number)}
        todo = [[(n, x) for n in range(steps) for x in role] for role in self.roles]
        place, waits = [0] * len(todo), [None] * len(todo)
        held, out = {}, {}
        while True:
            ready = [r for r in range(len(todo)) if place[r] < len(todo[r]) and waits[r] is None]
            if not ready:
                break
            r = rng.choice(ready)
            for _ in range(rng.choice([1, 1, 2, 5])):
                if place[r] == len(todo[r]) or waits[r] is not None:
                    break
                n, x = todo[r][place[r]]
                place[r] += 1
                if x[0] == "write":
                    held[self.slot(x, n)] = (x[1], n)
                elif x[0] == "read":
                    out[x[3], n] = held.get(self.slot(x, n))
                elif there(x, n):
                    i = base[x[1]] + (n + x[2] - low[x[1]]) % self.stages[x[1]]
                    if r in came[i]:
                        return "comes twice"
                    came[i][r] = True
                    if x[0] == "sync":
                        waits[r] = i
                    if len(came[i]) == len(of[x[1]]):
                        came[i] = {}
                        waits = [None if w == i else w for w in waits]
        if any(place[r] < len(todo[r]) or waits[r] is not None for r in range(len(todo))):
            return "deadlock"
        if any(came.values()):
            return "somebody is missing"
        return None if out == self.in_order(steps) else "other elements"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tcpc")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--host", type=int, default=0)
    parser.add_argument("--write")
    options = parser.parse_args()
    bad, accepted, refused, on_host, why, together = 0, 0, 0, 0, {}, HEAD
    with tempfile.TemporaryDirectory() as folder:
        plan = pathlib.Path(folder) / "roles.tcp"
        for i in range(options.count):
            rng = random.Random(options.seed * 1000003 + i)
            p = Program(rng)
            text = HEAD + p.text()
            plan.write_text(text)
            run = subprocess.run([options.tcpc, "-w", str(plan), "-o", "/dev/null"], capture_output=True, text=True, timeout=60)
            found = None
            if run.returncode == 0:
                accepted += 1
                found = p.simple_fault()
                for steps in range(MOST + 1):
                    found = found or ("unwritten" if p.in_order(steps) is None else p.goes_wrong(steps))
                    for _ in range(0 if found else 8):
                        found = found or p.execute(rng, steps)
                if not found and options.write:
                    together += p.text(f"_{i}")
                elif not found and on_host < options.host:
                    on_host += 1
                    steps = rng.randint(0, MOST)
                    run = subprocess.run([options.tcpc, "run", "-w", "--host", f"--param=N={steps}", str(plan)], capture_output=True, text=True, timeout=120)
                    found = run.returncode and "the host: " + run.stdout
            elif run.returncode == 1:
                refused += 1
                first = re.search(r"error: (.*)", run.stderr).group(1)
                kind = re.sub(r"'[^']*'|\d+", "_", first)[:50]
                why[kind] = why.get(kind, 0) + 1
                wrong = p.simple_fault()
                for steps in range(MOST + 1):
                    wrong = wrong or ("unwritten" if p.in_order(steps) is None else p.goes_wrong(steps))
                found = None if wrong else "it is right"
            else:
                found = f"exit status {run.returncode}"
            if found:
                bad += 1
                print(f"--- seed {options.seed}, number {i}: {found}\n{text}{run.stderr}")
    if options.write:
        pathlib.Path(options.write).write_text(together)
    for kind, n in sorted(why.items(), key=lambda x: -x[1]):
        print(f"{n:5} {kind}")
    print(f"{options.count} kernels with roles, {accepted} right, {refused} wrong, {bad} judged otherwise")
    sys.exit(bad > 0)


main()
