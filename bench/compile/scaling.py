"""usage: scaling.py [--tcpc PATH] [--seconds S] [KIND ...]: how time and memory of a compile grow with a plan.

Each kind of plan is made with growing n.  A line says the size of the plan, processor time and peak memory of the whole process,
time a KB of plan, with which exponent of n the time has grown since the line before (where both are over 20 ms more than the
least of the kind), and what came out: "compiled", or the first error.  A compile that takes more than S seconds (20) or 4 GB
ends the kind.  This is a report, and no test: tests/pass/limits counts.
"""

import argparse
import math
import os
import resource
import sys
import tempfile

ROW = "tensor {0} : f32 global row({1},128) align 16;"
LINE = "tiled_copy line = tile(auto(128), thr=32, val=4);"
PAIR = ROW.format("A", 400) + "\n" + ROW.format("B", 400) + "\n" + LINE + "\n"
TURN = ("arch sm_90;\ntensor P : f32 global row(16,64,64) align 128;\ntensor Q : f32 global row(16,64,64) align 128;\n"
        "tiled_copy words = tile(universal(32), thr=(8,32):(32,1), val=(1,1));\n")
ONE = "kernel k(A, inout B) threads 32 { copy A(0,_) -> B(0,_) with line; }\n"


def lines(n, form):
    return "".join(form.format(i, i - 1, i + 1) + "\n" for i in range(1, n + 1))


def kernel(formals, body, grid="1"):
    return f"kernel k({formals}) grid ({grid}) threads 32 {{\n{body}}}\n"


def tall(n):
    return ROW.format("A", n + 1) + "\n" + ROW.format("B", n + 1) + "\n" + LINE + "\n"


def one_buffer(n, back):
    return tall(n) + f"tiled_copy back = {back};\n" + kernel(
        "A, inout B", "shared s : f32 row(1,128);\n" + lines(n, "copy A({0},_) -> s(0,_) with line; copy s(0,_) -> B({0},_) with back;"))


def imports(n, folder):
    for i in range(1, n + 1):
        with open(f"{folder}/i{i}.tcp", "w") as f:
            f.write(f"tcp 1;\nconst C{i} = {i};\n")
    return lines(n, 'import "i{0}.tcp";') + PAIR + ONE


def import_chain(n, folder):
    for i in range(1, n + 1):
        with open(f"{folder}/i{i}.tcp", "w") as f:
            f.write(f'tcp 1;\nimport "i{i + 1}.tcp";\n' if i < n else "tcp 1;\n")
    return 'import "i1.tcp";\n' + PAIR + ONE


def nested(n, inner):
    return PAIR + kernel("A, inout B", "".join(f"for i{i} in 0 .. 2 {{ " for i in range(n)) + inner + "}" * n + "\n")


UP = [10, 100, 1000, 10000]
SHORT = [8, 16, 32, 64, 65, 128, 256, 640, 1280]
KINDS = {
    # one kernel
    "tiles through one buffer": (lambda n: one_buffer(n, "tile(auto(128), thr=32, val=4)"), SHORT),
    "tiles with barriers": (lambda n: one_buffer(n, "tile(universal(32), thr=32)"), SHORT),
    "tiles by loops": (lambda n: tall(2600) + "tiled_copy back = tile(universal(32), thr=32);\n" + kernel(
        "A, inout B", "shared s : f32 row(1,128);\n" + lines(
        n, "for i{0} in 0 .. 2 {{ copy A({0},_) -> s(0,_) with line; copy s(0,_) -> B({0} + 1300*i{0},_) with back; }}")), SHORT),
    "asynchronous tiles": (lambda n: ROW.format("A", 40 * n) + "\n" + ROW.format("B", 40 * n) + "\n" + LINE + "\ntiled_copy ahead = tile(cp_async.ca(16), thr=32, val=4);\n" + kernel(
        "A, inout B", "shared s : f32 row(1,128);\nfor i in 0 .. 12 {\n" + "".join(
            f"copy A({i} + {n}*i,_) -> s(0,_) with ahead; copy s(0,_) -> B({i} + {n}*i,_) with line;\n" for i in range(n)) + "}\n"), SHORT),
    "wrong tiles": (lambda n: PAIR + kernel("A, inout B", "shared s : f32 row(1,128);\n" + lines(
        n, "copy A(0,_) -> s(0,_) with line; copy s(0,_) -> B(0,_) with line;")), SHORT),
    "copies to memory": (lambda n: tall(n) + kernel("A, inout B", lines(n, "copy A({0},_) -> B({0},_) with line;")), SHORT),
    "copies to registers": (lambda n: tall(n) + kernel("A", "frag r : f32 like line;\n" + lines(n, "copy A({0},_) -> r with line;")), SHORT),
    "shared buffers": (lambda n: tall(n) + kernel("A", lines(n, "shared s{0} : f32 row(1,128); copy A({0},_) -> s{0}(0,_) with line;")), SHORT),
    "shared buffers that are read": (lambda n: tall(n) + kernel("A, inout B", lines(
        n, "shared s{0} : f32 row(1,128); copy A({0},_) -> s{0}(0,_) with line; copy s{0}(0,_) -> B({0},_) with line;")), SHORT),
    "fragments": (lambda n: tall(n) + kernel("A, inout B", lines(
        n, "frag r{0} : f32 like line; copy A({0},_) -> r{0} with line; copy r{0} -> B({0},_) with line;")), SHORT),
    "fills": (lambda n: PAIR + kernel("A", "frag r : f32 (4);\n" + lines(n, "fill r = {0};")), SHORT),
    "fills of fragments": (lambda n: PAIR + kernel("A", lines(n, "frag r{0} : f32 (4); fill r{0} = {0};")), SHORT),
    "frag of n elements": (lambda n: PAIR + kernel("A", f"frag r : f32 ({n}); fill r = 0;\n"), [100, 1000, 10000, 100000, 131072, 131073]),
    "pipelines": (lambda n: tall(n) + kernel("A, inout B", "shared s : f32 row(1,128) stages 3;\n" + lines(
        n, "pipeline p{0} in 0 .. 1 {{ load {{ copy A({0},_) -> s(0,_) with line; }} use {{ copy s(0,_) -> B({0},_) with line; }} }}")), SHORT),
    "copies by remainders": (lambda n: "tensor A : f32 global row(64,64) align 16;\ntensor B : f32 global row(64,64) align 16;\nkernel k(A, out B) threads 64 { shared s : f32 row(64,64);\nfor i in 0 .. 64 {\n"
                             + "".join(f"copy A(i,tid) -> s((i*{2 * i + 1}+{i})%64,(tid*{2 * i + 3}+i*{i + 1})%64) with universal(32);\n" for i in range(n))
                             + "}\ncopy s -> B with tile(universal(32),thr=(1,64)); }\n", [8, 16, 32, 40, 55, 62, 64]),
    "buffers of a pipeline": (lambda n: "param N, M : index in 1 .. 1000;\ntensor A : f32 global row(64,64) align 16;\ntensor B : f32 global row(N,M," + str(2 * n) + ",64) align 16;\n"
                              "tiled_copy ahead = tile(cp_async.cg(16), thr=(2,16):(16,1), val=(1,4)); tiled_copy back = tile(universal(128), thr=(2,16):(16,1), val=(1,4));\nkernel k(A, out B) {\n"
                              + lines(n, "shared s{0} : f32 row(2,64) stages 3;") + "for h in 0 .. N { pipeline j in 0 .. M { load {\n" + lines(n, "copy local_tile(A,(2,64),(0,0)) -> s{0} with ahead;") + "} use {\n"
                              + lines(n, "copy s{0} -> local_tile(B(h,j,_,_),(2,64),({1},0)) with back;") + "} } } }\n", [4, 8, 16, 20, 28, 32]),
    "empty pipelines": (lambda n: PAIR + kernel("A", lines(n, "pipeline p{0} in 0 .. 5 {{ load {{ }} use {{ }} }}")), UP),
    "loops": (lambda n: PAIR + kernel("A, inout B", lines(n, "for i{0} in 0 .. 2 {{ }}") + "copy A(0,_) -> B(0,_) with line;\n"), UP),
    "loops that copy": (lambda n: PAIR + kernel("A", "frag r : f32 like line;\n" + lines(n, "for i{0} in 0 .. 2 {{ copy A(i{0},_) -> r with line; }}")), SHORT),
    "nested loops": (lambda n: nested(n, "copy A(i0,_) -> B(i0,_) with line;"), [2, 4, 8, 16, 32, 64, 128, 256, 1000]),
    "nested empty loops": (lambda n: nested(n, ""), [2, 4, 8, 16, 32, 64, 128, 256, 1000]),
    "iterations": (lambda n: tall(n) + kernel("A, out B", f"for i in 0 .. {n + 1} {{ copy A(i,_) -> B(i,_) with line; }}\n"), [100, 10000, 1000000, 100000000]),
    "lets": (lambda n: PAIR + kernel("A, inout B", "let v0 = A(0,_);\n" + lines(n, "let v{0} = v{1};") + f"copy v{n} -> B(0,_) with line;\n"), UP),
    "sync": (lambda n: PAIR + "manual " + kernel("A, inout B", "copy A(0,_) -> B(0,_) with line;\n" + lines(n, "sync;")), UP),
    "formals": (lambda n: lines(n, ROW.format("A{0}", 4)) + LINE + "\n" + kernel(
        ", ".join(f"A{i}" for i in range(1, n + 1)), "frag r : f32 like line;\n" + lines(n, "copy A{0}(0,_) -> r with line;")), SHORT),
    "formals of nothing": (lambda n: lines(n, ROW.format("A{0}", 4)) + kernel(", ".join(f"A{i}" for i in range(1, n + 1)), ""), UP),
    "params of a grid": (lambda n: lines(n, "param P{0} : index in 1 .. 2;") + PAIR + kernel(
        "A, inout B", "copy A(0,_) -> B(0,_) with line;\n", "*".join(f"P{i}" for i in range(1, n + 1))), SHORT),
    "params of a slice": (lambda n: lines(n, "param P{0} : index in 1 .. 2;") + PAIR + kernel(
        "A, inout B", "copy A(" + "+".join(f"P{i}" for i in range(1, n + 1)) + ",_) -> B(0,_) with line;\n"), SHORT),
    "labels": (lambda n: PAIR + kernel("A", "frag r : f32 like line;\n" + lines(n, "l{0}: copy A(0,_) -> r with line;")), SHORT),
    # declarations
    "kernels": (lambda n: tall(n) + lines(n, "kernel k{0}(A, inout B) {{ shared s : f32 row(1,128); copy A({0},_) -> s(0,_) with line;"
                                             " copy s(0,_) -> B({0},_) with line; }}"), [30, 100, 300, 1000, 3000]),
    "small kernels": (lambda n: tall(n) + lines(n, "kernel k{0}(A, inout B) threads 32 {{ copy A({0},_) -> B({0},_) with line; }}"), [100, 300, 1000, 3000, 10000]),
    "kernels of a tensor each": (lambda n: lines(n, ROW.format("A{0}", 4)) + ROW.format("B", 4) + "\n" + LINE + "\n" + lines(
        n, "kernel k{0}(A{0}, inout B) threads 32 {{ copy A{0}(0,_) -> B(0,_) with line; }}"), [100, 300, 1000, 3000]),
    "kernels of a param each": (lambda n: lines(n, "param P{0} : index;\ntensor A{0} : f32 global row(P{0},128) align 16;") + LINE + "\n" + lines(
        n, "kernel k{0}(A{0}) threads 32 {{ frag r : f32 like line; copy A{0}(0,_) -> r with line; }}"), [30, 100, 300, 1000]),
    "manual kernels": (lambda n: tall(n) + lines(n, "manual kernel k{0}(A, inout B) threads 32 {{ shared s : f32 row(1,128); copy A({0},_) -> s(0,_) with line; sync;"
                                                    " copy s(0,_) -> B({0},_) with line; }}"), [30, 100, 300, 1000, 3000]),
    "kernels with variants": (lambda n: "param P : index;\n" + lines(n, "tensor A{0} : f32 global row({0},P);") + "tensor B : f32 global row(1,128);\n" + LINE + "\n" + lines(
        n, "kernel k{0}(A{0}, inout B) threads 32 {{ shared s : f32 row(1,128); copy local_tile(A{0}, (1,128), (0,0)) -> s with line pad 0; copy s -> B with line; }}"), [10, 30, 100, 300, 1000]),
    "kernels with labels": (lambda n: tall(n) + lines(n, "kernel k{0}(A, inout B) threads 32 {{ l{0}: copy A({0},_) -> B({0},_) with line; expect vector_bits(l{0}.src) == 128; }}"), [100, 300, 1000, 3000]),
    "device functions": (lambda n: tall(n) + lines(n, "device d{0}(A, inout B) threads 32 {{ copy A({0},_) -> B({0},_) with line; }}"), [100, 300, 1000, 3000]),
    "tensors": (lambda n: lines(n, ROW.format("T{0}", "{0}")) + PAIR + ONE, UP),
    "layouts": (lambda n: lines(n, "layout L{0} = ({0},8):(8,1);") + PAIR + ONE, UP),
    "layouts of layouts": (lambda n: "layout L0 = (4,8);\n" + lines(n, "layout L{0} = coalesce(L{1});") + PAIR + ONE, UP),
    "layouts that nest": (lambda n: "layout L0 = 1;\n" + lines(n, "layout L{0} = append(L{1}, 1:0);") + PAIR + ONE, [10, 20, 40, 80, 160, 320, 1000]),
    "consts": (lambda n: lines(n, "const C{0} = {0};") + PAIR + ONE, UP),
    "consts of consts": (lambda n: "const C0 = 1;\n" + lines(n, "const C{0} = C{1} + 1;") + PAIR + ONE, UP),
    "consts with -D": (lambda n: lines(n, "const C{0} = {0};") + PAIR + ONE, [10, 100, 1000, 3000]),
    "one long const": (lambda n: "const C = " + " + ".join("1" for _ in range(n)) + ";\n" + PAIR + ONE, UP),
    "tiled copies": (lambda n: lines(n, "tiled_copy t{0} = tile(auto(128), thr=(4,8), val=(4,1));") + PAIR + ONE, UP),
    "index maps": (lambda n: lines(n, "tiled_copy t{0} = tile(auto(128), map=(t:32, v:4) -> (t*4 + v));") + PAIR + ONE, [10, 100, 1000]),
    "atoms": (lambda n: lines(n, "atom a{0} = universal(128);") + PAIR + ONE, UP),
    "params": (lambda n: lines(n, "param P{0} : index;") + PAIR + ONE, UP),
    "params that are used": (lambda n: lines(n, "param P{0} : index;\ntensor T{0} : f32 global (P{0});") + PAIR + ONE, UP),
    "relations in a chain": (lambda n: "param P0 : index;\n" + lines(n, "param P{0} : index where P{0} >= P{1};")
                             + f"tensor C : f32 global row(P{n},128) align 16;\n" + PAIR + kernel("C, inout B", "copy C(0,_) -> B(0,_) with line;\n"), [10, 30, 100, 300, 1000, 3000]),
    "relations to one param": (lambda n: "param Q : index;\n" + lines(n, "param P{0} : index where P{0} <= Q;") + "tensor C : f32 global row(Q,128) align 16;\n"
                               + PAIR + kernel("C, inout B", "copy C(0,_) -> B(0,_) with line;\n"), [10, 30, 100, 300, 1000, 3000]),
    "equations in a chain": (lambda n: "param P0 : index;\n" + lines(n, "param P{0} : index where P{0} == P{1};")
                             + f"tensor C : f32 global row(P{n},128) align 16;\n" + PAIR + kernel("C, inout B", "copy C(0,_) -> B(0,_) with line;\n"), [10, 30, 100, 300, 1000, 3000]),
    "relations of a kernel": (lambda n: "param P0 : index;\n" + lines(n, "param P{0} : index where P{0} >= P{1};\ntensor C{0} : f32 global row(P{0},128) align 16;") + LINE + "\n"
                              + kernel(", ".join(f"C{i}" for i in range(1, n + 1)), "frag r : f32 like line; copy C1(0,_) -> r with line;\n"), [8, 16, 32, 64, 128, 256, 512]),
    "relations of no kernel": (lambda n: "param P0 : index;\n" + lines(n, "param P{0} : index where P{0} >= P{1};") + PAIR + ONE, UP),
    "expects": (lambda n: PAIR + lines(n, "expect threads(line) == 32;") + ONE, UP),
    "expects of a copy": (lambda n: PAIR + kernel("A, inout B", "ld: copy A(0,_) -> B(0,_) with line;\n" + lines(n, "expect vector_bits(ld.src) == 128;")), UP),
    "imports": (imports, [10, 100, 1000]),
    "imports of imports": (import_chain, [10, 30, 100, 1000]),
    # shapes and text
    "modes": (lambda n: f"tensor C : f32 global ({','.join('2' if i < 10 else '1' for i in range(n))});\n" + PAIR + ONE, [4, 8, 16, 32, 33, 64, 100, 1000]),
    "modes that are named": (lambda n: f"tensor C : f32 global row({','.join(f'm{i}={2 if i < 10 else 1}' for i in range(n))});\n" + PAIR + ONE, [4, 8, 16, 32, 64, 100, 1000]),
    "modes that are copied": (lambda n: "".join(f"tensor {t} : f32 global ({','.join('1' for i in range(n))},32);\n" for t in "AB")
                              + kernel("A, inout B", f"copy A({','.join('0' for i in range(n))},tid) -> B({','.join('0' for i in range(n))},tid) with universal(32);\n"), [4, 8, 16, 32, 64, 1000]),
    "shape that nests": (lambda n: "layout L = " + "(" * n + "2" + ",1)" * n + ";\n" + PAIR + ONE, [4, 8, 16, 32, 64, 128, 1000, 10000]),
    "parentheses": (lambda n: "const C = " + "(" * n + "2" + ")" * n + ";\n" + PAIR + ONE, UP),
    "comments": (lambda n: lines(n, "// nothing at all, but it goes on for some time") + PAIR + ONE, [100, 10000, 100000]),
    "long name": (lambda n: f"const {'c' * n} = 1;\n" + PAIR + ONE, [100, 10000, 1000000]),
    # wrong plans
    "errors": (lambda n: lines(n, "const C{0} = nothing{0};") + PAIR + ONE, UP),
    "errors, each of one name": (lambda n: lines(n, "const C{0} = nothing;") + PAIR + ONE, UP),
    "errors in one line": (lambda n: "".join(f"const C{i} = nothing{i};" for i in range(n)) + "\n" + PAIR + ONE, UP),
    "errors of syntax": (lambda n: lines(n, "const C{0} = ;") + PAIR + ONE, UP),
    "errors of characters": (lambda n: "const C = " + "@" * n + ";\n" + PAIR + ONE, UP),
    "errors in kernels": (lambda n: PAIR + lines(n, "kernel k{0}(A, out B) threads 32 {{ copy A(0,_) -> B(0,_) with line; }}"), [100, 300, 1000, 3000]),
    "errors in a kernel": (lambda n: PAIR + kernel("A, inout B", lines(n, "copy A(0,_) -> B(0,_) with lin;")), UP),
    "errors of redefinition": (lambda n: lines(n, "const C = {0};") + PAIR + ONE, UP),
    "errors of import": (lambda n: lines(n, 'import "no{0}.tcp";') + PAIR + ONE, [10, 100, 1000]),
    "errors as JSON": (lambda n: lines(n, "const C{0} = nothing{0};") + PAIR + ONE, UP),
    "warnings of narrow copies": (lambda n: f"tensor A : f32 global row({n + 1},128) align 16;\ntensor B : f32 global (129,{n + 1}):(1,129) align 16;\n{LINE}\n" + kernel(
        "A, inout B", lines(n, "copy A({0},_) -> local_tile(B, (128,1), (0,{0}))(_,0) with line;")), [4, 8, 16, 32, 64]),
    "warnings of narrow kernels": (lambda n: "tensor A : f32 global row(8,64) align 16;\ntensor B : f32 global row(8,64) align 16;\ntiled_copy rows = tile(auto(128), thr=(8,16):(16,1), val=(1,4));\n"
                                   + lines(n, "kernel k{0}(A, out B) {{ shared s : f32 (8,64):(65,1); copy A -> s with rows; copy s -> B with rows; }}"), [10, 30, 100, 300, 1000]),
    "warnings": (lambda n: lines(n, "param P{0} : index;") + PAIR + ONE, UP),
    "warnings in one line": (lambda n: "".join(f"param P{i} : index;" for i in range(n)) + "\n" + PAIR + ONE, UP),
    # what chooses: swizzles, planned copies, variants of both
    "swizzles that are chosen": (lambda n: TURN + "kernel k(P, inout Q) grid (1) threads 256 {\n" + lines(
        n, "shared s{0} : f32 row(64,64) swizzle auto; copy P({1},_,_) -> s{0} with words; copy select(s{0}, (1,0)) -> Q({1},_,_) with words;") + "}\n", [1, 2, 4, 8, 11, 12, 14, 17]),
    "kernels with a swizzle that is chosen": (lambda n: TURN + lines(
        n, "kernel k{0}(P, inout Q) threads 256 {{ shared s : f32 row(64,64) swizzle auto; copy P(0,_,_) -> s with words; copy select(s, (1,0)) -> Q(0,_,_) with words; }}"), [1, 2, 4, 8, 16, 32, 100, 300]),
    "planned copies": (lambda n: lines(n, "tensor X{0} : f16 global row (b=2, s=64, h={0}, d=64) align 16;\ntensor Y{0} : f16 global row (b=2, h={0}, s=64, d=64) align 16;\n"
                                          "kernel k{0}(X{0}, out Y{0}) {{ copy X{0} -> Y{0}; }}"), [1, 3, 10, 30, 100, 300]),
    "planned copies of params": (lambda n: lines(n, "param M{0} : index % 4;\ntensor X{0} : f32 global row(M{0},64) align 16;\ntensor Y{0} : f32 global (M{0},64) align 16;\n"
                                                    "kernel k{0}(X{0}, out Y{0}) {{ copy X{0} -> Y{0}; }}"), [1, 3, 10, 30, 100]),
    "modes of a planned copy": (lambda n: f"tensor X : f16 global row({','.join('2' for i in range(n))}) align 16;\ntensor Y : f16 global ({','.join('2' for i in range(n))}) align 16;\n"
                                          "kernel k(X, out Y) { copy X -> Y; }\n", [2, 4, 8, 12, 16, 20]),
    # what copies may say
    "conversions": (lambda n: tall(n) + "tensor H : f16 global row({0},128) align 16;\n".format(n + 1) + kernel("A, inout H", lines(n, "copy A({0},_) -> H({0},_) with line;")), SHORT),
    "conversions of fragments": (lambda n: tall(n) + kernel("A, inout B", lines(
        n, "frag r{0} : f32 like line; frag h{0} : f16 (4); copy A({0},_) -> r{0} with line; copy r{0} -> h{0}; copy h{0} -> B({0},_) with line;")), SHORT),
    "hints": (lambda n: tall(n) + "tiled_copy once = tile(universal(128, ld=L1.no_allocate.L2.evict_first, l2=128, st=cs), thr=32, val=4);\n"
              + kernel("A, inout B", lines(n, "copy A({0},_) -> B({0},_) with once;")), SHORT),
    "ranges": (lambda n: tall(n) + kernel("A, inout B", lines(n, "copy A({0}, 4 .. 128)(0 .. 64) -> B({0}, 0 .. 64) with tile(auto(64), thr=32, val=2);")), SHORT),
    "ranges of ranges": (lambda n: PAIR + kernel("A, inout B", "let v0 = A(0,_);\n" + lines(n, "let v{0} = v{1}(0 .. 128);") + f"copy v{n} -> B(0,_) with line;\n"), UP),
    "slices by params": (lambda n: "param N : index in 1 .. 1000;\ntensor A : f32 global row(N,128) align 16;\ntensor B : f32 global row({0},N,128) align 16;\n".format(n + 1) + LINE + "\n"
                         + kernel("A, inout B", lines(n, "copy A(block.x,_) -> B({0},block.x,_) with line;"), "N"), SHORT),
    "tiles with tails": (lambda n: "param N : index in 1 .. 1000;\ntensor A : f32 global row(N,128) align 16;\ntensor B : f32 global row({0},N,128) align 16;\n".format(n + 1)
                         + "tiled_copy rows = tile(auto(128), thr=(4,32):(32,1), val=(1,4));\n" + kernel("A, inout B", lines(
                             n, "copy local_tile(A, (4,128), (block.x,0)) -> local_tile(B({0},_,_), (4,128), (block.x,0)) with rows;"), "ceil_div(N,4)").replace("threads 32", "threads 128"), SHORT),
    "warnings of bank conflicts": (lambda n: tall(n) + "tiled_copy words = tile(universal(32), thr=(8,32):(1,8), val=(1,1));\nkernel k(A) grid (1) threads 256 {\nshared s : f32 row(64,128);\n" + lines(
        n, "copy local_tile(A, (8,32), (0,0)) -> local_tile(s, (8,32), (0,0)) with words;") + "}\n", [4, 8, 16, 32, 64, 128]),
    "layouts that mend bank conflicts": (lambda n: f"tensor A : f32 global row({n},32,32) align 128;\ntensor B : f32 global row({n},32,32) align 128;\n"
                                         "tiled_copy words = tile(universal(32), thr=(8,32):(32,1), val=(1,1));\nkernel k(A, out B) threads 256 {\nshared s : f32 row(32,32);\n" + "".join(
                                             f"copy A({i},_,_) -> s with words; copy select(s,(1,0)) -> B({i},_,_) with words;\n" for i in range(n)) + "}\n", [4, 8, 16, 32, 64]),
    "copies of bytes between buffers": (lambda n: f"tensor A : u8 global row({n},128,128) align 128;\ntensor B : u8 global row({n},128,128) align 128;\n"
                                        "tiled_copy words = tile(universal(8), thr=(8,32):(32,1), val=(1,1));\nkernel k(A, out B) threads 256 {\n"
                                        + "".join(f"shared s{i} : u8 row(128,128);\n" for i in range(min(n, 8)))
                                        + "".join(f"copy A({i},_,_) -> s{i % 8} with words;\ncopy select(s{i % 8},(1,0)) -> B({i},_,_) with words;\n" for i in range(n)) + "}\n", [4, 8, 16, 32]),
    "swizzles that are chosen, of pairs of buffers": (lambda n: TURN + "kernel k(P, inout Q) threads 256 {\n" + lines(
        n, "shared s{0} : f32 row(32,64) swizzle auto; shared t{0} : f32 row(32,64) swizzle auto; copy local_tile(P({1},_,_),(32,64),(0,0)) -> s{0} with words; copy s{0} -> t{0} with words;"
           " copy select(t{0}, (1,0)) -> local_tile(Q({1},_,_),(64,32),(0,0)) with words;") + "}\n", [1, 2, 4, 8]),
    "swizzles that are chosen, whose layout is read": (lambda n: TURN + "kernel k(P, inout Q) threads 256 {\n" + lines(
        n, "shared s{0} : f32 row(64,64) swizzle auto; copy P({1},_,_) -> s{0} with words; copy select(s{0}, (1,0)) -> Q({1},_,_) with words; expect crd2idx((0,0), s{0}) == 0;") + "}\n", [1, 2, 4, 8]),
    "swizzles that are chosen, of a pipeline": (lambda n: "tensor P : f32 global row(64,16,64) align 128;\n" + f"tensor Q : f32 global row({64 * n},64,16) align 128;\n" +
                                                "tiled_copy ahead = tile(cp_async.ca(4), thr=(8,32):(32,1), val=(1,1));\ntiled_copy words = tile(universal(32), thr=(8,16):(16,1), val=(1,1));\n"
                                                "arch sm_90;\nkernel k(P, inout Q) threads 256 {\n" + lines(n, "shared s{0} : f32 row(16,64) swizzle auto stages 3;") + "pipeline i in 0 .. 64 { load {\n"
                                                + lines(n, "copy P(i,_,_) -> s{0} with ahead;") + "} use {\n" + lines(n, "copy select(s{0}, (1,0)) -> Q(64*{1}+i,_,_) with words;") + "} } }\n", [1, 2, 4, 8]),
    "swizzles that are chosen, whose layout is asked for in vain": (lambda n: TURN + "kernel k(P, inout Q) threads 256 {\n" + lines(
        n, "shared s{0} : f32 row(64,64) swizzle auto; copy P({1},_,_) -> s{0} with words; copy select(s{0}, (1,0)) -> Q({1},_,_) with words; expect crd2idx((1,1), s{0}) == 65;") + "}\n", [1, 2, 4, 8]),
    "swizzles that are chosen, that a function gets": (lambda n: 'extern device f(x : f32 shared (64)) from "f.cuh";\n' + TURN + "kernel k(P, inout Q) threads 256 {\n" + lines(
        n, "shared s{0} : f32 row(64,64) swizzle auto; copy P({1},_,_) -> s{0} with words; copy select(s{0}, (1,0)) -> Q({1},_,_) with words; call f(s{0}(0,_));") + "}\n", [1, 2, 4, 8]),
    "swizzles that are chosen, whose layout is a constant": (lambda n: TURN + "kernel k(P, inout Q) threads 256 {\n" + lines(
        n, "shared s{0} : f32 row(64,64) swizzle auto; let c{0} = cosize(s{0}); copy P({1},_,_) -> s{0} with words; copy select(s{0}, (1,0)) -> Q({1},_,_) with words; expect c{0} >= 4096;") + "}\n", [1, 2, 4, 8]),
    "swizzles that are chosen, whose layout a loop has": (lambda n: TURN + "kernel k(P, inout Q) threads 256 {\n" + lines(
        n, "shared s{0} : f32 row(64,64) swizzle auto; let c{0} = cosize(s{0}); copy P({1},_,_) -> s{0} with words; copy select(s{0}, (1,0)) -> Q({1},_,_) with words; for i{0} in 0 .. c{0} {{ }}") + "}\n", [1, 2, 4, 8]),
    "swizzles that are chosen, of unaligned tensors": (lambda n: TURN.replace(" align 128", "") + "kernel k(P, inout Q) threads 256 {\n" + lines(
        n, "shared s{0} : f32 row(64,64) swizzle auto; copy P({1},_,_) -> s{0} with tile(auto(128), thr=(16,16):(16,1), val=(1,4)); copy select(s{0}, (1,0)) -> Q({1},_,_) with words;") + "}\n", [1, 2, 4, 8]),
    "swizzles that are chosen, of rows by cp.async": (lambda n: f"arch sm_90;\ntensor P : f16 global row({n},256) align 16;\ntensor Q : f16 global row({n},256) align 16;\n"
                                                      "kernel k(P, inout Q) threads 256 {\nshared s : f16 row(%d,256) swizzle auto;\ncopy P -> s with tile(cp_async.ca(4), thr=(32,8), val=(1,2));\n"
                                                      "copy s -> Q with tile(universal(16), thr=(32,8):(1,32), val=(1,1));\n}\n" % n, [32, 64, 128, 256, 384]),
    "swizzles that are chosen, of odd rows by cp.async": (lambda n: f"arch sm_90;\ntensor P : f32 global row({n},72);\ntensor Q : f32 global row({n},72);\n"
                                                          "kernel k(P, inout Q) threads 128 {\nshared s : f32 row(%d,72) swizzle auto;\ncopy P -> s with tile(cp_async.ca(4), thr=(4,32), val=(1,1));\n"
                                                          "copy s -> Q with tile(universal(32), thr=(4,32):(1,4), val=(1,1));\n}\n" % n, [32, 64, 128, 256, 384]),
    "params of nested loops": (lambda n: lines(n, "param P{0} : index in 1 .. 2;") + PAIR + kernel("A", "frag r : f32 like line;\n" + "".join(f"for i{i} in 0 .. P{i + 1} {{ " for i in range(n)) + "copy A("
                               + "+".join(f"i{i}" for i in range(n)) + ",_) -> r with line;" + "}" * n + "\n"), [2, 4, 8, 16, 31]),
    "conversions in a chain": (lambda n: PAIR + kernel("A, inout B", "frag r0 : f32 like line; copy A(0,_) -> r0 with line;\n" + lines(
        n, "frag h{0} : f16 (4); frag r{0} : f32 (4); copy r{1} -> h{0}; copy h{0} -> r{0};") + f"copy r{n} -> B(0,_) with line;\n"), SHORT),
    "cases of a kernel": (lambda n: "param M : index in 1 .. 100000;\ntensor A : f32 global row(M,128) align 16;\ntensor B : f32 global row(M,128) align 16;\n" + LINE + "\n" + lines(
        n, "kernel k(A, inout B) grid (M) threads 32 when (M % (2 * {0} + 1) == 0) {{ copy A(block.x,_) -> B(block.x,_) with line; }}")
                          + "kernel k(A, inout B) grid (M) threads 32 { copy A(block.x,_) -> B(block.x,_) with line; }\n", [2, 4, 8, 15, 16, 32]),
    "tiles of parts": (lambda n: tall(n) + kernel("A, inout B", lines(n, "copy local_partition(A({0},_), 32, tid) -> local_partition(B({0},_), 32, tid) with universal(32);")), SHORT),
    # other commands
    "explain --plan": (lambda n: one_buffer(n, "tile(universal(32), thr=32)"), [4, 8, 16, 32]),
    "explain": (lambda n: one_buffer(n, "tile(universal(32), thr=32)"), [4, 8, 16, 32]),
    "explain of kernels": (lambda n: KINDS["kernels"][0](n), [30, 100, 300, 1000]),
    "explain --plan of planned copies": (lambda n: KINDS["planned copies"][0](n), [1, 3, 10, 30, 100]),
    "count of kernels": (lambda n: KINDS["kernels"][0](n), [30, 100, 300, 1000]),
    "count of blocks": (lambda n: f"tensor A : f32 global row({n},128) align 16;\ntensor B : f32 global row({n},128) align 16;\n{LINE}\n"
                        + kernel("A, out B", "copy A(block.x,_) -> B(block.x,_) with line;\n", str(n)), [100, 10000, 100000, 1000000, 10000000]),
    "relayout of modes": (None, [2, 4, 8, 12, 16, 20, 24, 28, 32, 33]),
    "relayout of a size": (None, [100, 10000, 1000000, 100000000]),
}
OPTIONS = {"errors as JSON": lambda n: ["--diagnostics=json"], "consts with -D": lambda n: [f"-DC{i}={i}" for i in range(1, n + 1)]}
COMMANDS = {"explain --plan": ["explain", "--plan"], "explain": ["explain"], "explain of kernels": ["explain"],
            "explain --plan of planned copies": ["explain", "--plan"], "count of kernels": ["count"], "count of blocks": ["count"]}
RELAYOUTS = {"relayout of modes": lambda n: [" ".join(f"m{i}=2" for i in range(n)), " ".join(f"m{i}" for i in reversed(range(n)))],
             "relayout of a size": lambda n: [f"m={n} n=64", "n m"]}


def command_of(tcpc, kind, n, plan):
    if kind in RELAYOUTS:
        return [tcpc, "relayout", "f16", *RELAYOUTS[kind](n), "-o", os.devnull]
    if kind in COMMANDS:
        return [tcpc, *COMMANDS[kind], plan, "-o", os.devnull]
    return [tcpc, plan, "-o", os.devnull, "--error-limit=0"] + OPTIONS.get(kind, lambda n: [])(n)


def measured(command, seconds, said):
    """Processor time in seconds, peak memory in MB, and the status; what it says goes into the file "said"."""
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        to = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(to, 2)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status


def outcome(status, said):
    if os.WIFSIGNALED(status):
        return f"ended by signal {os.WTERMSIG(status)}"
    if os.WEXITSTATUS(status) == 0:
        return "compiled"
    with open(said, errors="replace") as f:
        first = next((line for line in f if "error" in line), "exit %d" % os.WEXITSTATUS(status))
    return first.split("error: ", 1)[-1].strip()[:110]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--tcpc", default="build/bin/tcpc")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("kinds", nargs="*")
    args = parser.parse_args()
    unknown = [k for k in args.kinds if not any(k in kind for kind in KINDS)]
    if unknown:
        sys.exit(f"scaling.py: no kind has '{unknown[0]}' in its name")
    for kind, (make, sizes) in KINDS.items():
        if args.kinds and not any(k in kind for k in args.kinds):
            continue
        print(f"\n{kind}\n{'n':>10} {'KB':>8} {'ms':>8} {'MB':>6} {'ms/KB':>6} {'n^':>5}", flush=True)
        least, before = math.inf, None
        for n in sizes:
            with tempfile.TemporaryDirectory() as folder:
                text = RELAYOUTS[kind](n)[0] if kind in RELAYOUTS else "tcp 1;\n" + (make(n, folder) if make in (imports, import_chain) else make(n))
                with open(f"{folder}/plan.tcp", "w") as f:
                    f.write(text)
                size = sum(os.path.getsize(f"{folder}/{name}") for name in os.listdir(folder)) / 1024
                said = f"{folder}/said"
                command = command_of(args.tcpc, kind, n, f"{folder}/plan.tcp")
                time, memory, status = measured(command, args.seconds, said)
                least = min(least, time)
                grown = ""
                if before and time > least + 0.02 and before[1] > least + 0.02 or before and time > 0.1:
                    grown = f"{math.log(time / before[1]) / math.log(n / before[0]):.2f}"
                print(f"{n:>10} {size:>8.1f} {1000 * time:>8.0f} {memory:>6.0f} {1000 * time / size:>6.1f} {grown:>5}  {outcome(status, said)}", flush=True)
                before = (n, time)
                if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (9, 24):
                    break


main()
