"""Brute force for the order of accesses to shared memory: every block and step, every thread and element.

The rule: two accesses of different threads to one element, one of which writes, need a barrier between them.  What a cp.async fills
may be touched by nobody before its thread has waited for its group, and by other threads only behind a barrier after that wait.
Control flow is the same for all threads, so that a barrier is one for all.
"""

import brute
from expr import Dubious
from plan import Copy, Fill, Order

MOST_ACCESSES = 60000
EVERYBODY = -1


class Cell:
    """One element: its last write, and who has read it since, by thread the epoch."""

    __slots__ = ("thread", "epoch", "group", "reads")

    def __init__(self):
        self.thread, self.epoch, self.group, self.reads = None, -1, None, {}


class Run(brute.Run):
    def __init__(self, plan, values, watch=None):
        super().__init__(plan, values, watch)
        self.limit, self.owners = MOST_ACCESSES, {}

    def begin(self):
        self.cells, self.epoch, self.commits = {}, 0, 0
        self.done = {}  # by group: the epoch of the wait

    def statement(self, x):
        if isinstance(x, Order):
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
        rows, columns = map(self.value, x.view.tensor.extents)
        for column in range(columns):
            for k in range(rows):
                self.write((x.view.tensor.name, k, column), EVERYBODY, None)

    def owner(self, tiled, size):
        key = tiled.name, size
        if key not in self.owners:
            self.owners[key] = [tiled.owner((k,))[0] for k in range(size)]
        return self.owners[key]

    def copy(self, x):
        """Of columns: the view of the shared side is one, element k of it at (k, slot)."""
        size = self.value(x.dst.tensor.extents[0])
        self.limit -= 2 * size
        if self.limit < 0:
            raise Dubious("too many accesses")
        owners = self.owner(x.tiled, size)
        column = {}
        for side, view in (("src", x.src), ("dst", x.dst)):
            at, end = self.value(view.at[1]), self.value(view.tensor.extents[1])
            if not 0 <= at < end:
                raise Dubious("outside")  # is not what is judged here
            column[side] = at
        if x.src.tensor.space == "shared":
            for k, thread in enumerate(owners):
                self.read((x.src.tensor.name, k, column["src"]), thread)
        if x.dst.tensor.space == "shared":
            group = self.commits if x.tiled.atom.startswith("cp_async") else None
            for k, thread in enumerate(owners):
                self.write((x.dst.tensor.name, k, column["dst"]), thread, group)

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
                self.fail("wait", at[0], at[1:])
                return
        if (c.thread != thread or thread == EVERYBODY) and epoch >= self.epoch:
            self.fail("sync", at[0], at[1:])

    def read(self, at, thread):
        c = self.cell(at)
        self.after_write(c, at, thread)
        c.reads[thread] = self.epoch

    def write(self, at, thread, group):
        c = self.cell(at)
        self.after_write(c, at, thread)
        for other, epoch in c.reads.items():
            if other != thread and epoch == self.epoch:
                self.fail("sync", at[0], at[1:])
        c.thread, c.epoch, c.group, c.reads = thread, self.epoch, group, {}


class Judge(brute.Judge):
    run = Run
