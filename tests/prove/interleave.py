"""usage: interleave.py PROGRAM [--count N] [--seed S]: roles of random programs come to their end if and only if their graph has
no cycle whose distances have a sum of 0 or less. PROGRAM is the unit test of graphs, which finds such a cycle; the judge here
executes the programs, and shares nothing with it.

A role is a list of arrivals and waits that it executes in each of T steps. The arrival (b, late) of step g is that of phase
g - late, and after the last step those left out follow. The wait (b, ahead) of step g needs phase g - ahead of barrier b, of all
roles that arrive there. An order is random, and for small programs all states that any order leads to are visited."""

import argparse
import random
import subprocess
import sys


def draw(rng):
    """A list of (kind, barrier, steps) for each role. Each barrier has one or two places of arrival."""
    roles = [[] for _ in range(rng.randint(1, 3))]
    for barrier in range(rng.randint(1, 4)):
        for role in rng.sample(range(len(roles)), min(len(roles), rng.choice([1, 1, 2]))):
            roles[role].append(("arrive", barrier, rng.choice([0, 0, 0, 1, 2, 3])))
        for role in rng.sample(range(len(roles)), min(len(roles), rng.choice([1, 1, 2]))):
            roles[role].append(("wait", barrier, rng.choice([0, 0, 1, 1, 2, 3, 4])))
    for role in roles:
        rng.shuffle(role)
    return roles


def graph(roles):
    """Nodes and edges: program order, the next step, and each arrival to each wait for it."""
    number, edges = {}, []
    for r, role in enumerate(roles):
        for i in range(len(role)):
            number[r, i] = len(number)
            if i:
                edges.append((number[r, i - 1], number[r, i], 0))
        if role:
            edges.append((number[r, len(role) - 1], number[r, 0], 1))
    for (r, i), a in number.items():
        for (q, j), w in number.items():
            x, y = roles[r][i], roles[q][j]
            if x[0] == "arrive" and y[0] == "wait" and x[1] == y[1]:
                edges.append((a, w, y[2] - x[2]))
    return len(number), edges


def events(role, steps):
    """What a role executes, in order: (kind, barrier, phase)."""
    out = []
    for g in range(steps):
        for kind, barrier, by in role:
            if g - by >= 0:
                out.append((kind, barrier, g - by))
    for kind, barrier, by in role:
        if kind == "arrive":
            out += [(kind, barrier, p) for p in range(max(0, steps - by), steps)]
    return out


class Run:
    def __init__(self, roles, steps):
        self.lists = [events(role, steps) for role in roles]
        # places of arrival of a barrier: its phase is over after so many arrivals for it
        self.places = {}
        for role in roles:
            for kind, barrier, _ in role:
                self.places[barrier] = self.places.get(barrier, 0) + (kind == "arrive")

    def may(self, at, r):
        """Whether role r, with all roles at the places "at", can do its next event."""
        if at[r] == len(self.lists[r]):
            return False
        kind, barrier, phase = self.lists[r][at[r]]
        if kind == "arrive":
            return True
        came = sum(e == ("arrive", barrier, phase) for l, n in zip(self.lists, at) for e in l[:n])
        return came >= self.places[barrier]

    def ends(self, at):
        return all(n == len(l) for n, l in zip(at, self.lists))

    def random_run(self, rng):
        at = [0] * len(self.lists)
        came, waits = {}, [None] * len(at)
        ready = list(range(len(at)))
        while ready:
            r = rng.choice(ready)
            if at[r] == len(self.lists[r]):
                ready.remove(r)
                continue
            kind, barrier, phase = self.lists[r][at[r]]
            if kind == "arrive":
                came[barrier, phase] = came.get((barrier, phase), 0) + 1
                at[r] += 1
                ready = list(range(len(at)))
            elif came.get((barrier, phase), 0) >= self.places[barrier]:
                at[r] += 1
            else:
                ready.remove(r)
        return self.ends(at)

    def every_run(self, most):
        """Whether all orders end; None if there are more than `most` states."""
        seen, todo = set(), [tuple([0] * len(self.lists))]
        while todo:
            at = todo.pop()
            if at in seen:
                continue
            seen.add(at)
            if len(seen) > most:
                return None
            next_ = [at[:r] + (at[r] + 1,) + at[r + 1:] for r in range(len(at)) if self.may(at, r)]
            if not next_ and not self.ends(at):
                return False
            todo += next_
        return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    programs = [draw(rng) for _ in range(options.count)]
    text = ""
    for roles in programs:
        nodes, edges = graph(roles)
        text += f"{nodes} {len(edges)}\n" + "".join(f"{a} {b} {d}\n" for a, b, d in edges)
    answers = subprocess.run([options.program, "-"], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    bad = stuck = visited = 0
    for roles, line in zip(programs, answers, strict=True):
        cycle = [int(x) for x in line.split()[1:]]
        edges = graph(roles)[1]
        if cycle:
            stuck += 1
            sound = sum(edges[e][2] for e in cycle) <= 0 and all(
                edges[a][1] == edges[b][0] for a, b in zip(cycle, cycle[1:] + cycle[:1]))
            if not sound:
                print(f"{roles}: no cycle: {cycle}")
                bad += 1
        # so many steps that each cycle closes: a sum of -1 needs at most as many as its longest edges
        ends = [Run(roles, 24).random_run(rng) for _ in range(3)]
        all_ = Run(roles, 3).every_run(400)
        visited += all_ is not None
        if any(e == bool(cycle) for e in ends) or (all_ is False and not cycle):
            print(f"{roles}: the graph says {'stuck' if cycle else 'live'}, runs end: {ends}, all orders: {all_}")
            bad += 1
    print(f"{len(programs)} programs, {stuck} stuck, all orders of {visited}; {bad} wrong")
    if bad or not 0.1 < stuck / len(programs) < 0.9 or visited < len(programs) / 10:
        sys.exit(1)


main()
