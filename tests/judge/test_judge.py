#!/usr/bin/env python3
"""Does the judge know what it should?  Small plans with answers worked out by hand, and one that breaks each rule.

The plans in plans/ say in their first line, behind JUDGE, with which params they are "right", what a tensor "is" everywhere, or by
which rule they are "wrong".
"""
import glob
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import numeric  # noqa: E402
from judge import Breach, Plan, Unsupported, judge  # noqa: E402
from maps import find_box  # noqa: E402
from mma import Mma, Operand  # noqa: E402

HEAD = "tcp 1;\nparam N : index in 0 .. 1000;\n"
COPY = "tiled_copy t = tile(auto(32), thr=(4,2), val=(1,2));\n"


def outputs(text, params=None, kernel="k", indices=None):
    """{tensor: {offset: element}} with the tensors' names instead of their numbers."""
    verdict = judge(HEAD + COPY + text, kernel, {"N": 0, **(params or {})}, indices)
    names = {buf.index: name for name, buf in verdict.tensors.items()}
    return {name: {at: (names.get(e[0]), e[1], e[2]) for at, e in cells.items()} for name, cells in verdict.outputs.items()}


class Meaning(unittest.TestCase):
    """What elements become."""

    def check(self, text, name, want, params=None):
        self.assertEqual(outputs(text, params)[name], want)

    def test_copy_goes_by_coordinates(self):
        self.check("tensor A : f32 global (8,4); tensor B : f32 global row(8,4); kernel k(A, out B) { copy A -> B with t; }", "B",
                   {4 * i + j: ("A", i + 8 * j, ()) for i in range(8) for j in range(4)})

    def test_permuted_view(self):
        self.check("tensor A : f32 global (8,4); tensor B : f32 global (4,8); kernel k(A, out B) { "
                   "copy A -> select(B, (1,0)) with t; }", "B", {j + 4 * i: ("A", i + 8 * j, ()) for i in range(8) for j in range(4)})

    def test_names(self):
        self.check("tensor A : f32 global (x=8,y=4); tensor B : f32 global row(y=4,x=8); kernel k(A, out B) { copy A -> B with t; }",
                   "B", {8 * j + i: ("A", i + 8 * j, ()) for i in range(8) for j in range(4)})

    def test_swizzle(self):
        """Bits 0 and 1 are flipped by bits 2 and 3."""
        self.check("tensor A : f32 global (4,4); tensor B : f32 global Sw<2,0,2> o 0 o (4,4); kernel k(A, out B) { copy A -> B with t; }",
                   "B", {(x ^ (x >> 2)): ("A", x, ()) for x in range(16)})

    def test_swizzle_with_offset(self):
        self.check("tensor A : f32 global (2,2); tensor B : f32 global Sw<1,0,1> o 2 o (2,2); kernel k(A, out B) { copy A -> B with t; }",
                   "B", {((x + 2) ^ (((x + 2) >> 1) & 1)): ("A", x, ()) for x in range(4)})

    def test_range(self):
        self.check("tensor A : f32 global (16,4); tensor B : f32 global (8,2); kernel k(A, out B) { copy A(3 .. 11, 1 .. 3) -> B with t; }",
                   "B", {i + 8 * j: ("A", i + 3 + 16 * (j + 1), ()) for i in range(8) for j in range(2)})

    def test_range_by_name(self):
        self.check("tensor A : f32 global (x=16,y=4); tensor B : f32 global (x=8,y=2); kernel k(A, out B) { "
                   "copy A(y=1 .. 3, x=3 .. 11) -> B with t; }",
                   "B", {i + 8 * j: ("A", i + 3 + 16 * (j + 1), ()) for i in range(8) for j in range(2)})

    def test_projection(self):
        self.check("tensor A : f32 global (16,4); tensor B : f32 global (8,2); kernel k(A, out B) { "
                   "copy local_tile(A, (8,5,2), (1,3,1), (1,_,1)) -> B with t; }",
                   "B", {i + 8 * j: ("A", i + 8 + 16 * (j + 2), ()) for i in range(8) for j in range(2)})
        self.check("tensor A : f32 global (16); tensor B : f32 global (4,8); kernel k(A, out B) threads 8 { "
                   "copy local_partition(A, (2,4), tid, (_,1)) -> B(_,tid) with auto(32); }",
                   "B", {i + 4 * t: ("A", t // 2 + 4 * i, ()) for i in range(4) for t in range(8)})

    def test_range_of_a_nested_mode(self):
        text = "tensor A : f32 global ((4,4),4):((1,100),4); tensor B : f32 global (8,2); kernel k(A, out B) { copy A(4 .. 12, 0 .. 2) -> B with t; }"
        self.check(text, "B", {i + 8 * j: ("A", i % 4 + 100 * (i // 4 + 1) + 4 * j, ()) for i in range(8) for j in range(2)})
        with self.assertRaises(Unsupported):
            outputs(text.replace("4 .. 12", "2 .. 10"))

    def test_tiles_end_where_a_range_does(self):
        text = ("tensor A : f32 global (16); tensor B : f32 global (5); tiled_copy u = tile(auto(32), thr=(4), val=(1));"
                "kernel k(A, out B) grid (3) { copy local_tile(A(7 .. 12),(4),(block.x)) -> local_tile(B,(4),(block.x)) with u; }")
        self.check(text, "B", {i: ("A", 7 + i, ()) for i in range(5)})

    def test_a_range_beyond_its_mode(self):
        for part in ("A(5 .. 4, 1 .. 3)", "local_tile(A, (8,4), (1,0))(2 .. 10, 1 .. 3)", "local_tile(A, (8,4), (1,0))(0 - 1 .. 7, 1 .. 3)"):
            with self.assertRaisesRegex(Breach, "range"):
                outputs(f"tensor A : f32 global (16,4); tensor B : f32 global (8,2); kernel k(A, out B) {{ copy {part} -> B with t; }}")

    def test_halos(self):
        text = ("tensor A : f32 global (9); tensor B : f32 global (6); tiled_copy u = tile(auto(32), thr=(6), val=(1));"
                "kernel k(A, out B) { shared s : f32 (6); copy PART -> s with u pad 0; copy s -> B with u; }")
        for part, first, low, high in (("A(0 - 2 .. 4)", -2, 0, 9), ("A(5 .. 11)", 5, 0, 9), ("A(3 .. 6)(0 - 1 .. 5)", 2, 3, 6)):
            self.check(text.replace("PART", part), "B",
                       {i: ("A", first + i, ()) if low <= first + i < high else (None, 0, ("f32",)) for i in range(6)})
        with self.assertRaisesRegex(Breach, "no source"):
            outputs(text.replace("PART", "A").replace("A -> s with u pad 0; copy s -> B with u;", "A(0 - 1 .. 5) -> B with u;"))

    def test_tail(self):
        text = ("tensor A : f32 global (N); tensor B : f32 global (N); tiled_copy u = tile(auto(32), thr=(4), val=(1));"
                "kernel k(A, out B) grid (ceil_div(N,4)) { copy local_tile(A,(4),(block.x)) -> local_tile(B,(4),(block.x)) with u; }")
        for n in (0, 1, 3, 4, 5, 11):
            self.check(text, "B", {i: ("A", i, ()) for i in range(n)}, {"N": n})

    def test_pad_and_what_is_kept(self):
        """What lies outside of A keeps the fill, or gets the pad."""
        text = ("tensor A : f32 global (N); tensor B : f32 global (8); tiled_copy u = tile(auto(32), thr=(4), val=(1));"
                "kernel k(A, out B) threads 4 {{ shared s : f32 (8); fill s = 3; copy local_tile(A,(8),(0)) -> s with u{}; copy s -> B with u; }}")
        for pad, value in (("", 3), (" pad 7", 7)):
            self.check(text.format(pad), "B", {i: ("A", i, ()) if i < 5 else (None, value, ("f32",)) for i in range(8)}, {"N": 5})

    def test_fragments_go_by_thread_and_value(self):
        """Thread t has elements 2t and 2t+1 in one tiled copy, t and t+4 in the other."""
        self.check("tensor A : f32 global (8); tensor B : f32 global (8);"
                   "tiled_copy p = tile(auto(32), thr=(4), val=(2)); tiled_copy q = tile(auto(32), tv=(4,2):(1,4), tile=(8));"
                   "kernel k(A, out B) { frag r : f32 like p; copy A -> r with p; copy r -> B with q; }", "B",
                   {t + 4 * v: ("A", 2 * t + v, ()) for t in range(4) for v in range(2)})

    def test_rounds_of_a_fragment(self):
        """A tile is laid over a view the first mode fastest, a tile's values first."""
        self.check("tensor A : f32 global (4,4); tensor B : f32 global (16); tiled_copy p = tile(auto(32), thr=(2,1), val=(1,2));"
                   "kernel k(A, out B) threads 2 { frag r : f32 (8); copy A -> r with p; copy r -> local_partition(B, (2), tid) with auto(32); }",
                   "B", {t + 2 * (v + 2 * (i + 2 * j)): ("A", (t + 2 * i) + 4 * (v + 2 * j), ())
                         for t in range(2) for v in range(2) for i in range(2) for j in range(2)})

    def test_slices_of_divided_tensors(self):
        """What stays of a mode's modes stands beside the others."""
        for view in ("flat_divide(A,(4,2))(_,_,1,block.x)", "tiled_divide(A,(4,2))((_,_),1,block.x)", "zipped_divide(A,(4,2))((_,_),(1,block.x))",
                     "logical_divide(A,(4,2))((_,1),(_,block.x))"):
            self.check("tensor A : f32 global (8,4); tensor B : f32 global (4,4);"
                       f"kernel k(A, out B) grid (2) {{ copy {view} -> local_tile(B,(4,2),(0,block.x)) with t; }}", "B",
                       {i + 4 * j: ("A", 4 + i + 8 * j, ()) for i in range(4) for j in range(4)})

    def test_map(self):
        self.check("tensor A : f32 global (4,4); tensor B : f32 global (4,4); tiled_copy p = tile(auto(32), map=(t:4, v:4) -> (t, (t + v) % 4));"
                   "tiled_copy q = tile(auto(32), thr=(4,1), val=(1,4));"
                   "kernel k(A, out B) { frag r : f32 like p; copy A -> r with p; copy r -> B with q; }", "B",
                   {t + 4 * v: ("A", t + 4 * ((t + v) % 4), ()) for t in range(4) for v in range(4)})

    def test_partition_of_a_tiled_copy(self):
        self.check("tensor A : f32 global (8,4); tensor B : f32 global (8,4); kernel k(A, out B) threads 8 {"
                   "let from = partition_src(t, A); let to = partition_dst(t, B);"
                   "for i in 0 .. 2 { copy from(_,i,_) -> to(_,i,_) with t; } }", "B", {i: ("A", i, ()) for i in range(32)})

    def test_composed_with_thread_and_value(self):
        self.check("tensor A : f32 global row(2,4); tensor B : f32 global (4,2); layout o1 = (4,2):(2,1);"
                   "kernel k(A, out B) threads 4 { copy (A o o1)(tid,_) -> B(tid,_) with auto(32); }", "B",
                   {t + 4 * v: ("A", 4 * v + t, ()) for t in range(4) for v in range(2)})

    def test_warps(self):
        self.check("tensor A : f32 global (64); tensor B : f32 global (64); tiled_copy w = tile(auto(32), thr=(32), val=(1));"
                   "kernel k(A, out B) threads 64 { copy local_tile(A,(32),(warp)) -> local_tile(B,(32),(1 - warp)) with w; }", "B",
                   {(i + 32) % 64: ("A", i, ()) for i in range(64)})

    def test_pipeline_is_the_loop(self):
        self.check("tensor A : f32 global (8,N); tensor B : f32 global (8,N); tiled_copy u = tile(auto(32), thr=(8), val=(1));"
                   "kernel k(A, out B) { shared s : f32 (8) stages 3; pipeline n in 0 .. N { load { copy A(_,n) -> s with u; }"
                   "use { copy s -> B(_,n) with u; } } }", "B", {i: ("A", i, ()) for i in range(40)}, {"N": 5})

    def test_in_place(self):
        self.check("tensor A : f32 global (8); tiled_copy u = tile(auto(32), thr=(8), val=(1));"
                   "kernel k(inout A) { shared s : f32 (8); copy A -> s with u; for i in 0 .. 8 { copy local_tile(s,(1),(i)) -> "
                   "local_tile(A,(1),(7-i)) with tile(auto(32),thr=(1)); } }", "A", {i: ("A", 7 - i, ()) for i in range(8)})

    def test_conversion_keeps_the_way(self):
        self.check("tensor A : f32 global (1); tensor B : u8 global (1); tiled_copy u = tile(auto(32), thr=(1));"
                   "kernel k(A, out B) { shared s : f16 (1); copy A -> s with u; copy s -> B with u; }", "B", {0: ("A", 0, ("f16", "u8"))})

    def test_device_function(self):
        got = outputs("tensor A : f32 global (8,N); tiled_copy u = tile(auto(32), thr=(8));"
                      "device d(A, out s : f32 shared (8):(2), i : index) threads 8 { copy A(_,i) -> s with u; }", {"N": 4}, "d", {"i": 3})
        self.assertEqual(got["s"], {2 * i: ("A", 24 + i, ()) for i in range(8)})

    def test_devices(self):
        """The elements of a tile of a formal that have no source stay what the caller had there."""
        got = outputs("tensor A : f32 global (N); tiled_copy u = tile(auto(32), thr=(8));"
                      "device d(A, inout s : f32 shared (8)) threads 8 { copy local_tile(A,(8),(0)) -> s with u; }", {"N": 4}, "d")
        self.assertEqual(got["s"], {i: ("A", i, ()) for i in range(4)})


RULES = {
    "never written": "tensor A : f32 global (8); tensor B : f32 global (9); kernel k(A, out B) { copy A -> local_tile(B,(8),(0)) with u; }",
    "written twice": "kernel k(A, out B) grid (2) { copy A -> B with u; }",
    "written twice by one copy": "kernel k(A, out B) { shared s : f32 (8):(0); copy A -> s with u; copy s -> B with u; }",
    "outside": "kernel k(A, out B) { for i in 0 .. 9 { copy A(i) -> B(i) with auto(32); } }",
    "read where nothing was written": "kernel k(A, out B) { shared s : f32 (8); copy s -> B with u; }",
    "is read and is 'out'": "kernel k(A, out B) { copy A -> B with u; shared s : f32 (8); copy B -> s with u; }",
    "is written and not 'out'": "kernel k(A, B) { copy A -> B with u; }",
    "has no source": "kernel k(A, out B) { copy local_tile(A,(4),(1 + 1)) -> local_tile(B,(4),(0)) with u; copy A -> B with u; }",
    "is written by a block and read by another": "kernel k(inout A) grid (8) { shared s : f32 (1); copy A(block.x) -> s(0) with auto(32);"
                                              "copy s(0) -> A(7 - block.x) with auto(32); }",
    "different shapes": "kernel k(A, out B) { copy A -> local_tile(B,(4),(0)) with u; }",
    "bits convert": "tensor C : b32 global (8); kernel k(A, out C) { copy A -> C with u; }",
    "'pad' of global": "kernel k(A, out B) { copy A -> B with u pad 1; }",
    "a number that the type does not have": "kernel k(A, out B) { shared s : u8 (8); fill s = 256; copy s -> B with u; }",
    "belongs to several threads": "tiled_copy v = tile(auto(32), tv=(2,8):(0,1), tile=(8)); kernel k(A, out B) { copy A -> B with v; }",
    "belongs to no thread": "tiled_copy v = tile(auto(32), tv=(2,2):(4,1), tile=(8)); kernel k(A, out B) { copy A -> B with v; }",
    "more threads than there are": "kernel k(A, out B) threads 4 { copy A -> B with u; }",
    "coordinate -1 of a mode": "kernel k(A, out B) { for i in 0 .. 2 { copy local_tile(A,(8),(i - 1)) -> local_tile(B,(8),(i - 1)) with u; } }",
    "another size than a thread's elements": "kernel k(A, out B) { frag r : f32 (2); copy A -> r with u; copy r -> B with u; }",
}


class Rules(unittest.TestCase):
    """Each rule is broken by a plan."""

    def test_rules(self):
        tensors = "tensor A : f32 global (8); tensor B : f32 global (8); tiled_copy u = tile(auto(32), thr=(8));"
        for rule, text in RULES.items():
            with self.subTest(rule):
                mine = tensors if "tensor A" not in text else "tiled_copy u = tile(auto(32), thr=(8));"
                with self.assertRaises(Breach) as caught:
                    outputs(mine + text)
                self.assertIn(rule, str(caught.exception))

    def test_a_slot_holds_nothing_of_an_earlier_step(self):
        text = ("tensor A : f32 global (8,N); tensor B : f32 global (8,N); tiled_copy u = tile(auto(32), thr=(8));"
                "kernel k(A, out B) {{ shared s : f32 (8) stages 2; pipeline n in 0 .. N {{ load {{ copy local_tile(A,(8,1),(0,{}))(_,0) -> s with u; }}"
                "use {{ copy s -> B(_,n) with u; }} }} }}")
        outputs(text.format("n"), {"N": 4})
        with self.assertRaises(Breach):
            outputs(text.format("2*n"), {"N": 4})

    def test_slots_by_whatever_name(self):
        """A slot is filled by a partition, a composition, or a tile of it."""
        text = ("tensor A : f32 global (8,N); tensor B : f32 global (8,N); tiled_copy u = tile(auto(32), thr=(8)); layout w = (8,1):(1,1);"
                "kernel k(A, out B) threads 8 {{ shared s : f32 (8) stages 2; pipeline n in 0 .. N {{ load {{ {} }} use {{ copy s -> B(_,n) with u; }} }} }}")
        for fill in ("copy A(_,n) -> s with u;", "let p = partition_dst(u, s); copy partition_src(u, A(_,n)) -> p with u;",
                     "copy (A(_,n) o w)(tid,_) -> (s o w)(tid,_) with auto(32);",
                     "for i in 0 .. 2 { copy local_tile(A(_,n),(4),(i)) -> local_tile(s,(4),(i)) with tile(auto(32),thr=(4)); }"):
            self.assertEqual(len(outputs(text.format(fill), {"N": 5})["B"]), 40)

    def test_promises(self):
        plan = Plan("tcp 1; param N : index % 4 in 8 .. 100; param ld : index where ld >= N;")
        for params, good in (({"N": 8, "ld": 8}, True), ({"N": 9, "ld": 10}, False), ({"N": 4, "ld": 8}, False), ({"N": 8, "ld": 7}, False)):
            self.assertEqual(plan.keeps(params), good)


class Numbers(unittest.TestCase):
    """Conversions, against answers that the language's reference gives."""

    def test_known(self):
        for source, x, target, want in (
                ("f32", 1e9, "f16", 0x7c00), ("f32", 1e9, "f8e4m3", 0x7e), ("f32", -1e9, "f8e5m2", 0xfb), ("f32", 2.5, "s8", 2),
                ("f32", -2.5, "s8", 0xfe), ("f32", 300.0, "u8", 255), ("f32", -1.0, "u8", 0), ("s32", 511, "u8", 255),
                ("f32", 2049.0, "f16", 0x6800), ("f32", 2051.0, "f16", 0x6802), ("f64", 2.0 ** -24, "f16", 1),
                ("f64", 2.0 ** -25, "f16", 0), ("s32", 16777217, "f32", 0x4b800000), ("f32", -0.0, "f16", 0x8000)):
            self.assertEqual(numeric.convert(source, target, numeric.encode(source, x)), want, (source, x, target))

    def test_nan(self):
        for target, want in (("f16", 0x7fff), ("bf16", 0x7fff), ("f8e4m3", 0x7f), ("f64", (1 << 63) - 1), ("s32", 0)):
            self.assertEqual(numeric.convert("f32", target, 0xffc00001), want)


class Plans(unittest.TestCase):
    """The plans in plans/."""

    def test_plans(self):
        for path in sorted(glob.glob(os.path.join(HERE, "plans", "*.tcp"))):
            with open(path) as f:
                text = f.read()
            asked = re.match(r"// JUDGE ?(.*?)(right|wrong)(?:: (.*))?\n", text)
            params = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", asked.group(1))}
            with self.subTest(os.path.basename(path)):
                self.judge(Plan(text), params, asked.group(2) == "right", asked.group(3))

    def judge(self, plan, params, right, what):
        self.assertTrue(plan.keeps(params))
        if not right:
            with self.assertRaises(Breach) as caught:
                judge(plan, "k", params)
            self.assertIn(what, str(caught.exception))
            return
        for kernel in plan.functions:
            verdict = judge(plan, kernel, params)
        if what:
            name, value = what.split(" is ")
            self.assertTrue(verdict.outputs[name])
            self.assertEqual({e[:2] for e in verdict.outputs[name].values()}, {(None, float(value))})


class Fragments(unittest.TestCase):
    """What belongs to which lane, and what ldmatrix can read."""

    def lane(self, words, which, lane):
        return Operand(Mma(words.split("."), (1, 1, 1), None), which).coords[lane]

    def test_operands(self):
        """Lane 5 is in group 1, second in it: by hand from the tables of the PTX ISA."""
        f16 = "m16n8k16.f32.f16.f16.f32"
        self.assertEqual(self.lane(f16, "A", 5), [(1, 2), (1, 3), (9, 2), (9, 3), (1, 10), (1, 11), (9, 10), (9, 11)])
        self.assertEqual(self.lane(f16, "B", 5), [(1, 2), (1, 3), (1, 10), (1, 11)])
        self.assertEqual(self.lane(f16, "C", 5), [(1, 2), (1, 3), (9, 2), (9, 3)])
        self.assertEqual(self.lane("m16n8k8.f32.tf32.tf32.f32", "A", 5), [(1, 1), (9, 1), (1, 5), (9, 5)])
        self.assertEqual(self.lane("m16n8k32.s32.u8.s8.s32", "B", 5), [(1, 4 + i) for i in range(4)] + [(1, 20 + i) for i in range(4)])

    def plan(self, atom, layout):
        return ("tiled_mma m = mma(m16n8k16.f32.f16.f16.f32); tensor A : f16 global row(16,16); tensor B : f16 global row(16,16);"
                "tiled_copy g = tile(auto(16), thr=(4,8), val=(4,2)); tiled_copy l = tile(" + atom + ", like=operand_A(m));"
                "tiled_copy x = tile(auto(32), like=operand_A(m)); kernel k(A, out B) { shared s : f16 " + layout + "; frag r : f16 like x;"
                "copy A -> s with g; copy s -> r with l; copy r -> B with x; }")

    def test_ldmatrix(self):
        same = {i: ("A", i, ()) for i in range(256)}
        for atom, layout in (("ldmatrix.x4", "row(16,16)"), ("ldmatrix.x2", "(16,16):(24,1)"), ("ldmatrix.x1.trans", "(16,16)"),
                             ("ldmatrix.x4(f16)", "Sw<1,3,3> o 0 o row(16,16)")):
            self.assertEqual(outputs(self.plan(atom, layout))["B"], same)

    def test_what_ldmatrix_cannot_read(self):
        for atom, layout in (("ldmatrix.x4", "(16,16):(20,1)"), ("ldmatrix.x4", "(16,16)"), ("ldmatrix.x4.trans", "row(16,16)"),
                             ("ldmatrix.x4", "Sw<1,2,3> o 0 o row(16,16)")):
            with self.assertRaisesRegex(Breach, "not contiguous or not aligned"):
                outputs(self.plan(atom, layout))
        with self.assertRaisesRegex(Breach, "between other memories"):
            outputs(self.plan("stmatrix.x4", "row(16,16)"))
        with self.assertRaisesRegex(Breach, "of 3 matrices"):
            outputs(self.plan("ldmatrix.x3", "row(16,16)"))


class Blocks(unittest.TestCase):
    """What "bulk" and "tma.load" move, and where they may not."""

    def plan(self, how, source="f32 global (4,6):(8,1) align 16", buffer="row(4,8)", tile="(4,8), (0,0)"):
        return (f"tensor A : {source}; tensor B : f32 global row(4,8); tiled_copy t = tile(auto(32), thr=(4,8));"
                f"kernel k(A, out B) {{ shared s : f32 {buffer}; copy local_tile(A, ({tile.split('), (')[0][1:]}), ({tile.split('), (')[1]}) -> s "
                f"with {how}; copy s -> B with t; }}")

    def test_zeros(self):
        want = {8 * i + j: ("A", 8 * i + j, ()) if j < 6 else (None, 0.0, ("f32",)) for i in range(4) for j in range(8)}
        self.assertEqual(outputs(self.plan("tma.load pad 0"))["B"], want)

    def test_a_role(self):
        plan = self.plan("bulk", "f32 global (4,8):(8,1) align 16").replace("shared s : f32 row(4,8);", "shared s : f32 row(4,8) stages 2;")
        plan = plan.replace("copy local", "pipeline n in 0 .. 1 warps (load = 1, use = 1) { load { copy local").replace("; copy s", "; } use { copy s")
        self.assertEqual(outputs(plan.replace("with t; }", "with t; } } }"))["B"], {i: ("A", i, ()) for i in range(32)})

    def test_rules(self):
        whole = "f32 global (4,8):(8,1)"
        for what, plan in (("zeros", self.plan("tma.load")), ("fills nothing", self.plan("bulk pad 0")),
                           ("less than 16", self.plan("bulk")), ("not aligned to 16", self.plan("bulk", whole)),
                           ("between two", self.plan("bulk", "f32 global (4,8):(9,1) align 16")),
                           ("a stride of", self.plan("tma.load", "f32 global (4,8):(9,1) align 16")),
                           ("contiguous", self.plan("tma.load", "f32 global (4,8):(1,4) align 16")),
                           ("converts", self.plan("bulk", "s32 global (4,8):(8,1) align 16"))):
            with self.subTest(what), self.assertRaisesRegex(Breach, what):
                outputs(plan)

    def store(self, how, target="f32 global (4,8):(12,1) align 16", buffer="row(4,8)", more="", word="out"):
        return (f"tensor A : f32 global row(4,8); tensor C : {target}; tiled_copy t = tile(auto(32), thr=(4,8)); kernel k(A, {word} C) {{ "
                f"shared s : f32 {buffer}; copy A -> s with t; copy s -> local_tile(C, (4,8), (0,0)) with {how}; {more} }}")

    def test_stores(self):
        for how in ("tma.store", "bulk.store"):
            self.assertEqual(outputs(self.store(how))["C"], {12 * i + j: ("A", 8 * i + j, ()) for i in range(4) for j in range(8)})
        # rows beyond the tensor are left out, and the columns end at 16 bytes
        self.assertEqual(outputs(self.store("tma.store", "f32 global (3,4):(12,1) align 16"))["C"],
                         {12 * i + j: ("A", 8 * i + j, ()) for i in range(3) for j in range(4)})

    def test_what_stores_may_not(self):
        for what, plan in (("beyond the end of a row", self.store("tma.store", "f32 global (4,7):(12,1) align 16")),
                           ("less than 16", self.store("bulk.store", "f32 global (4,7):(12,1) align 16")),
                           ("written twice", self.store("tma.store", "f32 global (4,8):(0,1) align 16")),
                           ("written twice", self.store("tma.store", "f32 global (4,8):(4,1) align 16")),
                           ("not 'inout'", self.store("bulk.reduce.add")),
                           ("no type for", self.store("tma.reduce.max", word="inout")),
                           ("joined, and read", self.store("bulk.reduce.add", more="copy local_tile(C, (4,8), (0,0)) -> s with t;", word="inout").replace("f32", "u32")),
                           ("the one way", self.store("tma.load"))):
            with self.subTest(what), self.assertRaisesRegex(Breach, what):
                outputs(plan)

    def test_reductions(self):
        plan = self.store("bulk.reduce.add", word="inout", more="copy s -> local_tile(C, (4,8), (0,0)) with bulk.reduce.add;")
        verdict = judge(HEAD + plan.replace("f32", "u32").replace("tiled_copy t", COPY.replace("tiled_copy t", "tiled_copy t0") + "tiled_copy t"), "k", {"N": 0})
        element = verdict.outputs["C"][13]
        self.assertEqual((element.joins, element.at, element.parts), ("add", 13, ((0, 9, ()), (0, 9, ()))))
        with self.assertRaisesRegex(Breach, "written twice"):
            judge(HEAD + plan.replace("f32", "u32").replace("bulk.reduce.add; }", "bulk.reduce.min; }"), "k", {"N": 0})
        self.assertEqual([numeric.joined(how, "s32", 0x7fffffff, 1) for how in ("add", "min", "max")], [0x80000000, 1, 0x7fffffff])
        self.assertEqual(numeric.joined("min", "s32", 0xffffffff, 1), 0xffffffff)


class Boxes(unittest.TestCase):
    """What one map's boxes can be, by hand from the manuals."""

    def box(self, layout, shape, width, order=None):
        """The box of a tile of "shape" whose element at coordinates x is at layout(x), in elements."""
        points = [(width * layout(*x), x) for x in [(i, j) for i in range(shape[0]) for j in range(shape[1])]]
        return find_box(points, width, 1)

    def test_boxes(self):
        self.assertEqual(self.box(lambda i, j: 8 * i + j, (4, 8), 4), ([(1, 8), (0, 4)], 0))
        # rows of 64 bytes that stand 128 apart are boxes of one row
        self.assertEqual(self.box(lambda i, j: 32 * i + j, (4, 16), 4), ([(1, 16)], 0))
        self.assertIsNone(self.box(lambda i, j: 36 * i + j, (4, 16), 4))  # .. and 144 apart none
        self.assertEqual(self.box(lambda i, j: j, (1, 384), 1), ([(1, 128)], 0))  # of 256 at most, at multiples of 128
        self.assertEqual(self.box(lambda i, j: 16 * i + j, (264, 16), 1), ([(1, 16), (0, 88)], 0))
        self.assertIsNone(self.box(lambda i, j: 3 * i + j, (4, 3), 4))  # 12 bytes

    def test_swizzles(self):
        for span, bits in ((32, 1), (64, 2), (128, 3)):
            row = span // 4

            def swizzled(i, j):
                return (row * i + j) ^ ((row * i + j) >> 3 & (1 << bits) - 1 << 2)

            self.assertEqual(self.box(swizzled, (16, row), 4), ([(1, row)] + ([(0, 16)] if span < 128 else []), span))  # or 16 of one row
            self.assertIsNone(self.box(swizzled, (16, row // 2), 4))
        self.assertEqual(self.box(lambda i, j: (8 * i + j) ^ ((8 * i + j) >> 6 & 1) << 3, (4, 8), 4), ([(1, 8), (0, 4)], 0))  # moves nothing


if __name__ == "__main__":
    unittest.main()
