"""What the judges by brute force have in common: faults, who executes a copy, blocks and iterations one after the other, params.

Like the judges it shares nothing with the compiler.
"""

from dataclasses import dataclass
from itertools import product

from expr import Dubious, names_in, value, wrap
from plan import Loop


@dataclass
class Fault(Exception):
    kind: str  # twice, never, outside, nosource, unwritten, race, sides, shapes, sync, wait
    tensor: str
    element: tuple = None

    def text(self):
        return f"{self.kind} {self.tensor}{self.element if self.element is not None else ''}"


def executor(copy):
    """Who executes the copy: 'tid', 'warp' or None for the block."""
    names = set()
    for e in copy.src.at + copy.dst.at:
        if e is not None:
            names_in(e, names)
    return "tid" if names & {"tid", "lane"} or not copy.tiled else "warp" if "warp" in names else None


def grid(plan):
    """The number of blocks along x, y and z, as expressions."""
    return [wrap(e) for e in plan.grid] + [wrap(1)] * (3 - len(plan.grid))


class Run:
    """A kernel at given params, block after block; 'begin' and 'statement' are what a judge makes of it.

    With 'watch', (tensor, element, loops), only a fault of that element is one, with these loops at these values.
    """

    def __init__(self, plan, values, watch=None):
        self.plan, self.names, self.watch = plan, dict(values), watch

    def value(self, e):
        return value(wrap(e), self.names)

    def block(self, at):
        self.names.update(bx=at[0], by=at[1], bz=at[2])
        self.begin()
        self.body(self.plan.body)

    def body(self, body):
        for x in body:
            if isinstance(x, Loop):
                for _ in self.steps(x):
                    self.body(x.body)
            else:
                self.statement(x)

    def steps(self, loop):
        for i in range(self.value(loop.begin), self.value(loop.end)):
            self.names[loop.name] = i
            yield i

    def fail(self, kind, tensor, element):
        if self.watch:
            name, at, loops = self.watch
            if (tensor, element) != (name, at) or any(self.names.get(n) != v for n, v in loops.items()):
                return
        raise Fault(kind, tensor, element)


class Judge:
    """Of one plan; 'fault(values)' is None where all is right, and 'run' the judge's Run."""

    def __init__(self, plan):
        self.plan = plan

    def fault(self, values, only=None, watch=None):
        """The first fault of any block, or of the block 'only'; its 'block' says which."""
        at = None
        try:
            run = self.run(self.plan, values, watch)
            x, y, z = (range(value(e, values)) for e in grid(self.plan))
            for at in ((i, j, k) for k, j, i in product(z, y, x)):
                if not only or at == only:
                    run.block(at)
        except Fault as f:
            f.block = at
            return f
        except ZeroDivisionError:
            raise Dubious("a divisor of 0") from None
        return None

    def enough(self, done):
        """Whether no more params are tried, after 'done' choices."""
        return False

    def first_fault(self, choices):
        """(values, fault) of the first of 'choices' with a fault, else (None, None); and how many were gone through."""
        done = 0
        for values in choices:
            if self.enough(done):
                break
            try:
                fault = self.fault(values)
            except Dubious:
                continue
            done += 1
            if fault:
                return values, fault, done
        return None, None, done
