"""usage: by_hand.py TCPC [--count N] [--seed S] [--mutants K] [--write FOLDER] [--refused PERCENT]

Random roles of manual kernels whose copies barriers in memory count. Each compiles, and is then made wrong in each of the ways below, one at a
time: each of these must be refused. Prints how many right ones were refused, and how many wrong ones were not, by kind. With --mutants each has K
wrong ones at most. With --write the right plans stay in FOLDER, for mutate_sync.py and random_sync.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys

HEAD = "tcp 1;\narch sm_90;\nparam N : index % 64 in 0 .. 65536;\n"


def moved(line, by):
    """The line with another step of its barrier."""

    def step(m):
        at = by - int(m[1] or 0)
        return "of n" if at == 0 else f"of n {'-' if at < 0 else '+'} {abs(at)}"

    return re.sub(r"of n(?: - (\d+))?", step, line)


class Plan:
    """A kernel as lines; each has a role (0: outside), a kind, and the number of the consumer or buffer that it is for."""

    def __init__(self, rng):
        self.stages = rng.choice([1, 1, 2, 2, 3, 4, 5, 7])
        self.late = rng.choice([0, 0, 0, 1]) if self.stages > 1 else 0  # steps by which the slots are handed back late
        rows = rng.choice([8, 16, 32])
        self.bytes = rows * 128
        buffers = rng.choice([1, 1, 2, 3])
        users = rng.choice([1, 1, 2, 3])
        named = rng.random() < 0.4 and self.stages + 1 < 15  # slots are handed back at named barriers
        apart = buffers > 1 and rng.random() < 0.5  # a barrier for each buffer
        beside = rng.random() < 0.25  # the role that issues copies loads a buffer itself, too
        steps = rng.choice(["N/64", "N/64", "N/64", "12", "0", "1"])
        begin = 2 if steps == "N/64" and rng.random() < 0.2 else 0
        loop = rng.random() < 0.15 and not named  # around the roles
        self.none = steps == "0"
        self.always = steps in ("N/64", "12")  # there are steps for each mistake to show
        self.head = HEAD
        size = "N" if steps == "N/64" else 12 * 64
        for b in range(buffers + beside):
            self.head += f"tensor A{b} : f16 global row({rows},{size}) align 16;\n"
        for u in range(users):
            for b in range(buffers + beside):
                self.head += f"tensor B{u}{b} : f16 global row({rows * (1 + loop)},{size}) align 16;\n"
        warps = [rng.choice([1, 2]) if rows > 8 else 1 for _ in range(users)]
        for w in (1, 2):
            self.head += f"tiled_copy by{w} = tile(universal(128), thr=({4 * w},8):(8,1), val=(1,8));\n"
        outs = ", ".join(f"inout B{u}{b}" for u in range(users) for b in range(buffers + beside))
        ins = ", ".join(f"A{b}" for b in range(buffers + beside))
        self.lines = [(f"manual kernel k({ins}, {outs}) {{", "", 0)]
        for b in range(buffers + beside):
            self.lines.append((f"  shared s{b} : f16 row({rows},64) stages {self.stages};", "", 0))
        fulls = [f"full{b}" for b in range(buffers)] if apart else ["full0"]
        for full in fulls:
            self.lines.append((f"  barrier {full};", "", 0))
        self.lines.append(("  barrier empty stages %d;" % self.stages if named else "  barrier empty;", "", 0))
        if loop:
            self.lines.append(("  for r in 0 .. 2 {", "", 0))
        self.lines.append((f"  roles n in {begin} .. {steps} {{", "", 0))
        slot = f"(_,_,n % {self.stages})" if self.stages > 1 else "(_,_,0)"
        self.lines.append(("  load (1) {", "", 0))
        self.lines.append((f"    {'sync' if named else 'wait'} empty of n - {self.stages};", "empty", 0))
        if beside:
            self.lines.append((f"    copy local_tile(A{buffers}, ({rows},64), (0, n)) -> s{buffers}{slot} with by1;", "plain", buffers))
            self.lines.append(("    arrive full0 of n;", "each", 0))
        for b in range(buffers):
            atom = rng.choice(["bulk", "tma.load pad 0"])
            if rng.random() < 0.2:
                self.lines.append((f"    for i in 0 .. {rows // 8} {{ copy local_tile(A{b}, (8,64), (i, n)) -> local_tile(s{b}{slot}, (8,64), (i, 0)) with bulk; }}", "fill", b))
            else:
                self.lines.append((f"    copy local_tile(A{b}, ({rows},64), (0, n)) -> s{b}{slot} with {atom};", "fill", b))
            if apart or b == buffers - 1:
                self.lines.append((f"    expect full{b if apart else 0} of n, {self.bytes * (1 if apart else buffers)};", "expect", b))
        self.lines.append(("  }", "", 0))
        turn = "r" if loop else "0"
        for u in range(users):
            self.lines.append((f"  use{u} ({warps[u]}) {{", "", 0))
            for b in range(buffers + beside):
                if b < len(fulls):
                    self.lines.append((f"    wait {fulls[b]} of n;", "full", u))
                self.lines.append((f"    copy s{b}{slot} -> local_tile(B{u}{b}, ({rows},64), ({turn}, n)) with by{warps[u]};", "use", u))
            if self.late:
                # the step before is handed back; its reads stand above
                self.lines.append(("    fence;", "fence", u))
                self.lines.append((f"    arrive empty of n - {self.late};", "release", u))
            else:
                self.lines.append(("    fence;", "fence", u))
                self.lines.append(("    arrive empty of n;", "release", u))
            self.lines.append(("  }", "", 0))
        self.lines.append(("  }", "", 0))
        if loop:
            self.lines += [("  fence;", "fence", 0), ("  sync;", "round", 0), ("  }", "", 0)]
        self.lines.append(("}", "", 0))

    def text(self, lines=None):
        return self.head + "\n".join(x[0] for x in lines or self.lines) + "\n"

    def wrong(self):
        """(kind, text) of each mistake."""
        out = []

        def other(kind, at, *new):
            out.append((kind, self.text(self.lines[:at] + [(x, "", 0) for x in new] + self.lines[at + 1 :])))

        for i, (line, what, _) in enumerate(self.lines):
            step = lambda by: moved(line, by)
            if what == "empty":
                if self.always:
                    other("the wait for an empty slot left out", i)
                    other("a refill a step early", i, step(-1 - self.late))
            elif what == "full":
                if not self.none:
                    other("the wait for the copies left out", i)
                other("the wait of another step", i, step(-1))
                other("the wait of another step", i, step(1))
                other("a wait said twice", i, line, line)
                uses = next(k for k in range(i, len(self.lines)) if self.lines[k][1] == "use")
                if not self.none:
                    turned = self.lines[:i] + self.lines[i + 1 : uses + 1] + [self.lines[i]] + self.lines[uses + 1 :]
                    out.append(("the wait behind the use", self.text(turned)))
            elif what == "expect":
                if not self.none:
                    other("an arrival left out", i)
                other("an arrival said twice", i, line, line)
                other("the arrival of another step", i, step(1))
                other("the arrival of another step", i, step(-1))
                number = int(re.search(r", (\d+);", line)[1])
                if not self.none:
                    other("16 bytes more", i, line.replace(f", {number};", f", {number + 16};"))
                    other("16 bytes less", i, line.replace(f", {number};", f", {number - 16};"))
            elif what == "release":
                other("an arrival left out", i)
                other("an arrival said twice", i, line, line)
                if self.always:
                    other("a release a step early", i, step(1 + self.late))
                    first = max(k for k in range(i) if self.lines[k][1] == "full" and self.lines[k][2] == self.lines[i][2])
                    if not self.late:
                        early = self.lines[: first + 1] + self.lines[i - 1 : i + 1] + self.lines[first + 1 : i - 1] + self.lines[i + 1 :]
                        out.append(("a release before the use", self.text(early)))
            elif what == "fence" and self.always:
                other("a fence left out", i)
            elif what == "each":  # "expect" speaks for its warp, too
                other("an arrival said twice", i, line, line)
            elif what == "fill" and self.stages > 1 and self.always:
                other("another slot filled", i, line.replace("n % ", "(n + 1) % "))
        return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tcpc")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--refused", type=float, default=2)
    parser.add_argument("--write")
    o = parser.parse_args()

    def refusal(text):
        r = subprocess.run([o.tcpc, "-w", "-", "-o", "-"], input=text, capture_output=True, text=True)
        return r.stderr if r.returncode else None

    kinds, missed, refused, crashed = collections.Counter(), collections.Counter(), [], 0
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for k in range(o.count):
            rng = random.Random(f"{o.seed}/{k}")
            plan = Plan(rng)
            if o.write:
                pathlib.Path(o.write, f"by_hand_{o.seed}_{k}.tcp").write_text(plan.text())
            if said := refusal(plan.text()):
                refused.append((plan.text(), said))
                continue
            wrong = plan.wrong()
            if len(wrong) > o.mutants:
                wrong = rng.sample(wrong, o.mutants)
            for (kind, text), said in zip(wrong, pool.map(lambda x: refusal(x[1]), wrong)):
                kinds[kind] += 1
                if said is None:
                    missed[kind] += 1
                    print(f"plan {k} of seed {o.seed} compiles with {kind}:\n{text}")
                elif "error: " not in said or "internal" in said:
                    crashed += 1
                    print(f"plan {k} of seed {o.seed} with {kind}: {said}\n{text}")
    for text, said in refused[:3]:
        print(f"a right plan is refused: {said}\n{text}")
    for kind in sorted(kinds):
        print(f"{kind}: {kinds[kind]}, {missed[kind]} of them compile")
    print(f"{o.count} plans, {len(refused)} refused; {sum(kinds.values())} mistakes, {sum(missed.values())} unnoticed, {crashed} crashes")
    return bool(missed or crashed or len(refused) * 100 > o.refused * o.count)


if __name__ == "__main__":
    sys.exit(main())
