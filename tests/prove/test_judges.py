"""Unit tests of the judges: small plans whose verdict is known, written by hand."""

import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cover_judge
import order_judge
import uninit_judge
import witness
from expr import Dubious, cdiv, num, tcp, value, var
from plan import Copy, Fill, Loop, Order, Param, Pipeline, Plan, Tensor, Tiled, View, choices, promised

X, Y, I, N, M = var("block.x"), var("block.y"), var("i"), var("N"), var("M")


def kind(fault):
    return fault and (fault.kind, fault.element)


class Expressions(unittest.TestCase):
    def test_text(self):
        self.assertEqual(tcp((X + 1) % 8 * 2 + cdiv(N, 32)), "(block.x + 1)%8*2 + ceil_div(N,32)")
        self.assertEqual(tcp(N - (M - X)), "N - (M - block.x)")
        self.assertEqual(tcp(X // (N * M)), "block.x/(N*M)")
        self.assertEqual(tcp(N * 1 + 0), "N")

    def test_value(self):
        self.assertEqual(value(cdiv(N, 4) + N % 3 * 2, {"N": 5}), 6)
        with self.assertRaises(Dubious):
            value((N - 6) // num(2), {"N": 5})


class Promises(unittest.TestCase):
    def plan(self, relation, mentions):
        a = Tensor("A", [mentions])
        return Plan([Param("N", 1, 9), Param("M", 1, 9, relation=relation)], [a], [("in", a)], [], [N], [])

    def test_relation(self):
        p = self.plan((M, ">=", N), M)
        self.assertTrue(promised(p, {"N": 3, "M": 3}))
        self.assertFalse(promised(p, {"N": 4, "M": 3}))
        self.assertFalse(promised(p, {"N": 10, "M": 10}))

    def test_relation_of_a_param_that_is_not_taken(self):
        self.assertTrue(promised(self.plan((M, ">=", N), num(4)), {"N": 4, "M": 3}))

    def test_choices(self):
        p = self.plan((M, "==", N), M)
        p.params[0].hi = p.params[1].hi = 1000
        found, every = choices(p, random.Random(1))
        self.assertTrue(len(found) > 3 and not every and all(v["N"] == v["M"] for v in found))


class Coverage(unittest.TestCase):
    def plan(self, extents, tile, at, grid, body=None, source=None, direction="out", pad=None):
        """A copy of tiles, or 'body(copy)'."""
        self.a, self.b = Tensor("A", source or extents), Tensor("B", extents)
        t = Tiled("t", tile, (1,) * len(tile))
        copy = Copy(View(self.a, at[:], tile), View(self.b, at[:], tile), t, pad)
        params = [Param(n, 1, 100) for n in "NM"]
        return Plan(params, [self.a, self.b], [("in", self.a), (direction, self.b)], [t], grid, body(copy) if body else [copy])

    def fault(self, plan, **values):
        return kind(cover_judge.Judge(plan).fault({"N": 1, "M": 1, **values}))

    def test_tiles(self):
        p = self.plan([N], (4,), [X], [cdiv(N, 4)])
        for n in (1, 3, 4, 5, 8, 9):
            self.assertIsNone(self.fault(p, N=n))

    def test_never(self):
        p = self.plan([N], (4,), [X], [N // num(4)])
        self.assertIsNone(self.fault(p, N=8))
        self.assertEqual(self.fault(p, N=9), ("never", (8,)))

    def test_twice(self):
        p = self.plan([num(4), num(4)], (2, 2), [X % 2, X // num(3)], [num(4)])
        self.assertEqual(self.fault(p), ("twice", (0, 0)))

    def test_diagonal(self):
        p = self.plan([N, N], (1, 1), [X, X], [N])
        self.assertIsNone(self.fault(p, N=1))
        self.assertEqual(self.fault(p, N=3), ("never", (0, 1)))
        self.assertIsNone(self.fault(self.plan([N, N], (1, 1), [X, X], [N], direction="inout"), N=3))

    def test_rotation_and_digits(self):
        p = self.plan([num(6), N], (1, 1), [(X // N + Y) % 6, X % N], [N * 6, num(1)])
        self.assertIsNone(self.fault(p, N=5))

    def test_outside(self):
        self.assertEqual(self.fault(self.plan([num(4)], (2,), [X - 1], [num(3)]))[0], "outside")
        self.assertIsNone(self.fault(self.plan([num(4)], (2,), [X], [num(5)])))  # tiles beyond are not touched

    def test_slices_lie_inside(self):
        p = self.plan([num(2), N], (2,), [None, X], [N + 1])
        for view in (p.body[0].src, p.body[0].dst):
            view.tile = None
        self.assertEqual(self.fault(p, N=3), ("outside", (3,)))
        p.grid = [N]
        self.assertIsNone(self.fault(p, N=3))

    def test_source_ends_before(self):
        p = self.plan([N], (4,), [X], [cdiv(N, 4)], source=[M])
        self.assertIsNone(self.fault(p, N=5, M=5))
        self.assertEqual(self.fault(p, N=6, M=5)[0], "nosource")
        self.assertIsNone(self.fault(self.plan([N], (4,), [X], [cdiv(N, 4)], source=[M], pad=0), N=6, M=5))

    def test_tile_of_which_nothing_is_there(self):
        p = self.plan([num(32)], (16,), [X], [num(2)], source=[num(16)])
        self.assertEqual(self.fault(p)[0], "nosource")  # the second tile of 16 elements is not the first one again

    def test_interleaved(self):
        def body(copy):
            odd = Copy(View(self.a, [I * 2 + 1], (1,)), View(self.b, [I * 2 + 1], (1,)), copy.tiled)
            return [Loop("i", num(0), N, [copy]), Loop("i", num(0), N - M // num(7), [odd])]

        p = self.plan([N * 2], (1,), [I * 2], [], body)
        self.assertIsNone(self.fault(p, N=5, M=6))
        self.assertEqual(self.fault(p, N=5, M=7), ("never", (9,)))

    def test_threads(self):
        p = self.plan([num(8)], (2,), [var("tid")], [])
        p.body[0].tiled, p.threads = None, 4
        self.assertIsNone(self.fault(p))
        p.threads = 3
        self.assertEqual(self.fault(p), ("never", (6,)))

    def test_through_shared(self):
        def body(copy):
            self.s = Tensor("s", [num(4)], "shared")
            s = View(self.s, [None])
            return [Copy(copy.src, s, copy.tiled), Copy(s, copy.dst, copy.tiled)]

        p = self.plan([N], (4,), [X], [cdiv(N, 4)], body, source=[M])
        p.local = [self.s]
        self.assertIsNone(self.fault(p, N=6, M=6))
        self.assertEqual(self.fault(p, N=6, M=5)[0], "unwritten")

    def test_block_reads_what_another_writes(self):
        p = self.plan([num(8)], (2,), [X], [num(2)], direction="inout")
        p.body[0].src = View(self.b, [X + 2], (2,))
        self.assertIsNone(self.fault(p))
        p.body[0].src = View(self.b, [X + 1], (2,))
        self.assertEqual(self.fault(p)[0], "race")
        p.body[0].src = View(self.b, [X], (2,))
        self.assertEqual(self.fault(p)[0], "sides")

    def test_witnesses(self):
        p = self.plan([N], (4,), [X // num(2)], [num(4)])
        judge = cover_judge.Judge(p)

        def true(text):
            ((k, groups, _),) = witness.read(text)
            return witness.judge_coverage(p, judge, k, groups)

        never = "x.tcp:1:1: note: with N = 9, M = 1, element ({}) of 'out B' is never written"
        self.assertTrue(true(never.format(8)))
        self.assertFalse(true(never.format(7)))
        self.assertFalse(true(never.format(9)))
        twice = "note: with N = {}, M = 1, element (5) of 'B' is written twice, by value 0 of thread {} in block ({},0,0)"
        twice += " and by value 0 of thread 1 in block (3,0,0)"
        self.assertTrue(true(twice.format(8, 1, 2)))
        self.assertFalse(true(twice.format(8, 2, 2)))
        self.assertFalse(true(twice.format(8, 1, 1)))
        self.assertFalse(true(twice.format(5, 1, 2)))
        self.assertFalse(true(twice.format(101, 1, 2)))  # against the promise
        self.assertIsNone(true("element (5) of 'B' is written twice, by thread 1 and by thread 2"))


class Ordered(unittest.TestCase):
    def setUp(self):
        self.s = Tensor("s", [num(4), num(3)], "shared")
        self.a, self.z = Tensor("A", [num(4), N]), Tensor("Z", [num(4), N])
        self.u = Tiled("u", (2,), (2,))

    def load(self, column, slot, asynchronous=False, thr=4):
        t = Tiled("t", (thr,), (4 // thr,), "cp_async.ca(4)" if asynchronous else "auto(32)")
        return Copy(View(self.a, [None, column]), View(self.s, [None, slot]), t)

    def use(self, slot, column):
        return Copy(View(self.s, [None, slot]), View(self.z, [None, column]), self.u)

    def fault(self, body, n=2, grid=()):
        plan = Plan([Param("N")], [self.a, self.z], [("in", self.a), ("out", self.z)], [self.u], list(grid), body, [self.s], 4, True)
        fault = order_judge.Judge(plan).fault({"N": n})
        return fault and fault.kind

    def test_witnesses(self):
        body = [self.load(num(0), num(2)), self.use(X, num(0))]
        plan = Plan([Param("N", 1, 9)], [self.a, self.z], [("in", self.a), ("out", self.z)], [self.u], [N], body, [self.s], 4, True)

        def true(n, element, block):
            text = f"note: with N = {n}, thread 1 writes element {element} of 's' here, in block ({block},0,0)"
            ((k, groups, _),) = witness.read(text)
            return witness.judge_block(plan, order_judge.Judge(plan), k, groups, "order")

        self.assertTrue(true(3, "(1,2)", 2))
        self.assertFalse(true(3, "(1,2)", 1))  # it reads another column
        self.assertFalse(true(3, "(0,2)", 2))  # thread 0 reads what it has written
        self.assertFalse(true(3, "(1,0)", 2))
        self.assertFalse(true(2, "(1,2)", 2))  # there is no such block
        self.assertFalse(true(10, "(1,2)", 2))  # against the promise

    def test_barrier(self):
        self.assertEqual(self.fault([self.load(num(0), num(0)), self.use(num(0), num(0))]), "sync")
        self.assertIsNone(self.fault([self.load(num(0), num(0)), Order("sync"), self.use(num(0), num(0))]))
        self.assertIsNone(self.fault([self.load(num(0), num(0)), self.use(num(1), num(0))]))

    def test_own_elements(self):
        self.assertIsNone(self.fault([self.load(num(0), num(0), thr=2), self.use(num(0), num(0))]))

    def test_overwriting_what_is_read(self):
        body = [self.use(num(0), num(0)), self.load(num(0), num(0))]
        self.assertEqual(self.fault(body), "sync")

    def test_groups(self):
        first, second = self.load(num(0), num(0), True), self.load(num(0), num(1), True)
        commit, sync, use = Order("commit"), Order("sync"), self.use(num(0), num(0))
        self.assertIsNone(self.fault([first, commit, second, commit, Order("wait", 1), sync, use]))
        self.assertEqual(self.fault([first, commit, second, commit, Order("wait", 2), sync, use]), "wait")
        self.assertEqual(self.fault([first, Order("wait", 0), sync, use]), "wait")
        self.assertEqual(self.fault([first, commit, sync, use]), "wait")
        self.assertEqual(self.fault([first, commit, Order("wait", 0), use]), "sync")
        self.assertEqual(self.fault([first, commit, sync, Order("wait", 0), use]), "sync")

    def test_filling_twice(self):
        one, commit = self.load(num(0), num(0), True), Order("commit")
        self.assertEqual(self.fault([one, commit, one, commit, Order("wait", 0)]), "wait")
        self.assertIsNone(self.fault([one, commit, Order("wait", 0), one, commit]))

    def test_late_step(self):
        slot = (I + I // num(5)) % 3
        body = [Loop("i", num(0), N, [self.load(I, I % 3), Order("sync"), self.use(slot, I)])]
        self.assertIsNone(self.fault(body, 5))
        self.assertIsNone(self.fault(body, 6))
        self.assertEqual(self.fault(body, 7), "sync")  # step 5 reads what step 6 writes

    def test_late_block(self):
        body = [self.load(num(0), num(2)), self.use(X, num(0))]
        self.assertIsNone(self.fault(body, grid=[num(2)]))
        self.assertEqual(self.fault(body, grid=[num(3)]), "sync")

    def test_barrier_in_a_loop_that_does_not_run(self):
        body = [self.load(num(0), num(0)), Loop("j", num(0), num(4) // N, [Order("sync")]), self.use(num(0), num(0))]
        self.assertIsNone(self.fault(body, 4))
        self.assertEqual(self.fault(body, 5), "sync")

    def test_fill_is_by_all_threads(self):
        fill = Fill(View(self.s, [None, None]))
        self.assertEqual(self.fault([fill, self.use(num(0), num(0))]), "sync")
        self.assertIsNone(self.fault([fill, Order("sync"), self.use(num(0), num(0))]))


class Uninit(unittest.TestCase):
    def setUp(self):
        self.s = Tensor("s", [num(4), num(6)], "shared")
        self.a, self.b = Tensor("A", [num(4), num(6)]), Tensor("B", [num(4), num(9)])
        self.t = Tiled("t", (4,), (1,))

    def load(self, slot):
        return Copy(View(self.a, [None, num(0)]), View(self.s, [None, slot]), self.t)

    def use(self, slot):
        return Copy(View(self.s, [None, slot]), View(self.b, [None, X]), self.t)

    def plan(self, body, grid=(), threads=None):
        return Plan([Param("N")], [self.a, self.b], [("in", self.a), ("out", self.b)], [self.t], list(grid), body, [self.s], threads)

    def fault(self, body, n=1, grid=(), threads=None):
        return kind(uninit_judge.Judge(self.plan(body, grid, threads)).fault({"N": n, "M": 5}))

    def true(self, plan, text):
        ((k, groups, _),) = witness.read(text)
        return witness.judge_block(plan, uninit_judge.Judge(plan), k, groups, "uninit")

    def test_witnesses(self):
        plan = self.plan([Loop("i", num(0), N, [self.load(I), self.use(num(1))])], [num(2)])
        text = "note: with N = {}, element {} of 's' is read by value 0 of thread 0 in block ({},0,0) with i = {}, and was not written"
        self.assertTrue(self.true(plan, text.format(2, "(0,1)", 1, 0)))
        self.assertFalse(self.true(plan, text.format(2, "(0,1)", 1, 1)))  # that step has written it
        self.assertFalse(self.true(plan, text.format(2, "(0,0)", 1, 0)))
        self.assertFalse(self.true(plan, text.format(2, "(0,1)", 2, 0)))
        self.s.stages = 2
        self.assertTrue(self.true(plan, text.format(2, "(0,1,1)", 1, 0)))
        self.assertFalse(self.true(plan, text.format(2, "(0,1,2)", 1, 0)))

    def test_witnesses_of_registers(self):
        self.s, tid = Tensor("r", [num(3)], "frag"), var("tid")
        write = Copy(View(self.a, [tid, num(0)]), View(self.s, [tid % 3]))
        plan = self.plan([write, Copy(View(self.s, [num(2)]), View(self.b, [tid, num(0)]))], threads=4)
        text = "note: with N = 1, register {} of 'r' in thread {} is read in block (0,0,0), and was not written"
        self.assertTrue(self.true(plan, text.format(2, 0)))
        self.assertFalse(self.true(plan, text.format(2, 2)))  # it has written that one
        self.assertFalse(self.true(plan, text.format(1, 0)))  # nobody reads it

    def test_column(self):
        self.assertIsNone(self.fault([self.load(num(2)), self.use(num(2))]))
        self.assertEqual(self.fault([self.load(num(2)), self.use(num(3))]), ("unwritten", (0, 3)))

    def test_late_block(self):
        body = [Loop("i", num(0), num(4), [self.load(I)]), self.use(X)]
        self.assertIsNone(self.fault(body, grid=[num(4)]))
        self.assertEqual(self.fault(body, grid=[num(5)]), ("unwritten", (0, 4)))
        self.assertEqual(self.fault(body, grid=[num(7)])[1], (0, 4))

    def test_memory_is_one_blocks(self):
        body = [Loop("i", X, num(2), [self.load(I)]), self.use(num(1))]
        self.assertIsNone(self.fault(body, grid=[num(2)]))
        self.assertEqual(self.fault(body, grid=[num(3)])[0], "unwritten")

    def test_loop_that_may_not_run(self):
        body = [Loop("i", num(0), num(4) // N, [self.load(num(0))]), self.use(num(0))]
        self.assertIsNone(self.fault(body, 4))
        self.assertEqual(self.fault(body, 5)[0], "unwritten")

    def test_outside(self):
        self.assertEqual(self.fault([self.load(N)], 6)[0], "outside")

    def test_tail(self):
        s, a, b = Tensor("s", [num(4)], "shared"), Tensor("A", [M]), Tensor("B", [N])
        self.s, self.a, self.b = s, a, b
        write = Copy(View(a, [X], (4,)), View(s, [None]), self.t)
        body = [write, Copy(View(s, [None]), View(b, [X], (4,)), self.t)]
        self.assertIsNone(self.fault(body, 5, [num(2)]))
        self.assertEqual(self.fault(body, 6, [num(2)]), ("unwritten", (1,)))
        write.pad = 0
        self.assertIsNone(self.fault(body, 6, [num(2)]))

    def test_fragment(self):
        r, tid = Tensor("r", [num(3)], "frag"), var("tid")
        write = Loop("i", num(0), N, [Copy(View(self.a, [tid, I]), View(r, [I]))])
        body = [write, Copy(View(r, [num(2)]), View(self.b, [tid, num(0)]))]
        self.s = r
        self.assertIsNone(self.fault(body, 3, threads=4))
        self.assertEqual(self.fault(body, 2, threads=4), ("unwritten", (2,)))
        self.assertEqual(self.fault(body, 4, threads=4)[0], "outside")

    def test_step_of_a_pipeline(self):
        part = Loop("j", num(0), num(6) - I // num(3), [self.load(var("j"))])
        use = Copy(View(self.s, [None, num(5)]), View(self.b, [None, I]), self.t)
        body = [Pipeline("i", num(0), N, [part], [use])]
        self.assertIsNone(self.fault(body, 3))
        self.assertEqual(self.fault(body, 4), ("unwritten", (0, 5)))


if __name__ == "__main__":
    unittest.main()
