"""Brute force for the order of accesses to shared memory: every block and step, every thread and element.

The rule: two accesses of different threads to one element, one of which writes, need a barrier between them.  What a cp.async fills
may be touched by nobody before its thread has waited for its group, and by other threads only behind a barrier after that wait.
Control flow is the same for all threads, so that a barrier is one for all.
"""

from cover_judge import Fault
from expr import Dubious, value, wrap
from plan import Copy, Fill, Loop, Order

MOST_ACCESSES = 60000
EVERYBODY = -1


class Cell:
    """One element: its last write, and who has read it since, by thread the epoch."""

    __slots__ = ("thread", "epoch", "group", "reads")

    def __init__(self):
        self.thread, self.epoch, self.group, self.reads = None, -1, None, {}


class Run:
    """One block at given params."""

    def __init__(self, plan, values, limit):
        self.plan, self.names, self.limit = plan, dict(values), limit
        self.owners = {}

    def block(self, at):
        self.names.update(bx=at[0], by=at[1], bz=at[2])
        self.cells, self.epoch, self.commits = {}, 0, 0
        self.done = {}  # by group: the epoch of the wait
        self.body(self.plan.body)

    def body(self, body):
        for x in body:
            if isinstance(x, Loop):
                begin, end = value(wrap(x.begin), self.names), value(wrap(x.end), self.names)
                for i in range(begin, end):
                    self.names[x.name] = i
                    self.body(x.body)
            elif isinstance(x, Order):
                self.order(x)
            elif isinstance(x, Fill):
                self.fill(x)
            elif isinstance(x, Copy):
                self.copy(x)

    def order(self, x):
        if x.what == "sync":
            self.epoch += 1
        elif x.what == "commit":
            self.commits += 1
        else:
            for g in range(self.commits - x.pending):
                self.done.setdefault(g, self.epoch)

    def fill(self, x):
        columns = value(wrap(x.view.tensor.extents[1]), self.names)
        for column in range(columns):
            for k in range(value(wrap(x.view.tensor.extents[0]), self.names)):
                self.write((x.view.tensor.name, column, k), EVERYBODY, None)

    def owner(self, tiled, size):
        key = tiled.name, size
        if key not in self.owners:
            self.owners[key] = [tiled.owner((k,))[0] for k in range(size)]
        return self.owners[key]

    def copy(self, x):
        """Of columns: the view of the shared side is one, element k of it at (k, slot)."""
        size = value(wrap(x.dst.tensor.extents[0]), self.names)
        self.limit -= 2 * size
        if self.limit < 0:
            raise Dubious("too many accesses")
        owners = self.owner(x.tiled, size)
        column = {}
        for side, view in (("src", x.src), ("dst", x.dst)):
            at, end = value(wrap(view.at[1]), self.names), value(wrap(view.tensor.extents[1]), self.names)
            if not 0 <= at < end:
                raise Dubious("outside")  # is not what is judged here
            column[side] = at
        if x.src.tensor.space == "shared":
            for k, thread in enumerate(owners):
                self.read((x.src.tensor.name, column["src"], k), thread)
        if x.dst.tensor.space == "shared":
            group = self.commits if x.tiled.atom.startswith("cp_async") else None
            for k, thread in enumerate(owners):
                self.write((x.dst.tensor.name, column["dst"], k), thread, group)

    def cell(self, at):
        if at not in self.cells:
            self.cells[at] = Cell()
        return self.cells[at]

    def after_write(self, c, at, thread):
        """That the access of 'thread' now comes behind the last write."""
        if c.thread is None:
            return
        epoch = c.epoch
        if c.group is not None:
            epoch = self.done.get(c.group)
            if epoch is None:
                raise Fault("wait", at[0], at[1:])
        if (c.thread != thread or thread == EVERYBODY) and epoch >= self.epoch:
            raise Fault("sync", at[0], at[1:])

    def read(self, at, thread):
        c = self.cell(at)
        self.after_write(c, at, thread)
        c.reads[thread] = self.epoch

    def write(self, at, thread, group):
        c = self.cell(at)
        self.after_write(c, at, thread)
        for other, epoch in c.reads.items():
            if other != thread and epoch == self.epoch:
                raise Fault("sync", at[0], at[1:])
        c.thread, c.epoch, c.group, c.reads = thread, self.epoch, group, {}


class Judge:
    def __init__(self, plan):
        self.plan = plan

    def fault(self, values, only=None):
        """The first fault of any block, or of the block 'only'; its 'block' says which."""
        run = Run(self.plan, values, MOST_ACCESSES)
        grid = [value(wrap(e), values) for e in self.plan.grid] + [1] * (3 - len(self.plan.grid))
        for z in range(grid[2]):
            for y in range(grid[1]):
                for x in range(grid[0]):
                    if only and (x, y, z) != only:
                        continue
                    try:
                        run.block((x, y, z))
                    except Fault as f:
                        f.block = (x, y, z)
                        return f
                    except ZeroDivisionError:
                        raise Dubious("a divisor of 0") from None
        return None

    def first_fault(self, choices):
        done = 0
        for values in choices:
            try:
                fault = self.fault(values)
            except Dubious:
                continue
            done += 1
            if fault:
                return values, fault, done
        return None, None, done
