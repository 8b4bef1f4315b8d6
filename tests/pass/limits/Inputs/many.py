"""usage: many.py KIND N: a plan with N copies of a kind in one kernel."""

import sys

BODY = {
    # to one tensor in memory
    "writes": ("A, inout B", "", "copy A({0},_) -> B({0},_) with line;"),
    # to registers, with a wait and a barrier that may stand before each
    "registers": ("A", "frag r : f32 like line;", "copy A(0,_) -> r with line;"),
    # from a tensor that the last statement writes
    "reads": ("inout A", "frag r : f32 like line;", "copy A(block.x,_) -> r with line;"),
}
BODY |= {
    # through one buffer, one tile after the other
    "tiles": ("A, inout B", "shared s : f32 row(1,128);", "copy A({0},_) -> s(0,_) with line; copy s(0,_) -> B({0},_) with line;"),
    # that threads take over from each other, so that barriers stand between
    "turned": ("A, inout B", "shared s : f32 row(1,128);", "copy A({0},_) -> s(0,_) with line; copy s(0,_) -> B({0},_) with turned;"),
    # likewise each tile in a loop of its own
    "loops": (
        "A, inout B",
        "shared s : f32 row(1,128);",
        "for i{0} in 0 .. 2 {{ copy A({0},_) -> s(0,_) with line; copy s(0,_) -> B({0} + 200*i{0},_) with turned; }}",
    ),
    # the same with copies that have to be waited for, in a loop
    "async": (
        "A, inout B",
        "shared s : f32 row(1,128);",
        "copy A({0} + 32*i,_) -> s(0,_) with ahead; copy s(0,_) -> B({0} + 32*i,_) with line;",
    ),
}
LOOPS = {"async": ("for i in 0 .. 12 {", "}")}
LAST = {"reads": "  copy r -> A(block.x,_) with line;\n"}

# Whole plans, of declarations that there are many of; {0} counts from 1, {1} is one less.
HEAD = "tensor A : f32 global row(5000,128) align 16;\ntensor B : f32 global row(5000,128) align 16;\ntiled_copy line = tile(auto(128), thr=32, val=4);\n"
ONE = "kernel k(A, inout B) threads 32 { copy A(0,_) -> B(0,_) with line; }\n"
FRAG = "threads 32 {{ frag r : f32 like line;"
PLANS = {
    "params": ("", "param P{0} : index;\n", HEAD + ONE),
    "chain": ("param P0 : index;\n", "param P{0} : index where P{0} >= P{1};\n", HEAD + ONE),
    "equations": ("param P0 : index;\n", "param P{0} : index where P{0} == P{1};\n", HEAD + ONE),
    "small-kernels": (HEAD, "kernel k{0}(A, inout B) threads 32 {{ copy A({0},_) -> B({0},_) with line; }}\n", ""),
    "kernels-of-params": (HEAD, "param P{0} : index;\ntensor A{0} : f32 global row(P{0},128) align 16;\nkernel k{0}(A{0}) " + FRAG + " copy A{0}(0,_) -> r with line; }}\n", ""),
    "manual-kernels": (HEAD, "manual kernel k{0}(A, inout B) threads 32 {{ shared s : f32 row(1,128); copy A({0},_) -> s(0,_) with line; sync; copy s(0,_) -> B({0},_) with line; }}\n", ""),
    "wrong-kernels": (HEAD, "kernel k{0}(A, out B) threads 32 {{ copy A(0,_) -> B(0,_) with line; }}\n", ""),
    "narrow-kernels": (
        "tensor A : f32 global row(8,64) align 16;\ntensor B : f32 global row(8,64) align 16;\ntiled_copy rows = tile(auto(128), thr=(8,16):(16,1), val=(1,4));\n",
        "kernel k{0}(A, out B) {{ shared s : f32 (8,64):(65,1); copy A -> s with rows; copy s -> B with rows; }}\n",
        "",
    ),
    "consts": ("", "const C{0} = 0;\n", HEAD + ONE),
    "unknown": ("", "const C{0} = nothing{0};\n", HEAD + ONE),
    "above": ("", "const C{0} = C{2};\n", HEAD + ONE),
    "unknown-in-a-line": ("", "const C{0} = nothing{0}; ", "\n" + HEAD + ONE),
    "formals": ("", "", ""),
    "tiles-of-2m": ("", "tiled_copy t{0} = tile(universal(32), thr=1024, val=2048);\n", HEAD + ONE),
    "tiles-of-8k": ("", "tiled_copy t{0} = tile(universal(32), thr=128, val=64);\n", HEAD + ONE),
    "maps-of-1m": ("", "tiled_copy t{0} = tile(universal(32), map=(t:1024, v:1024) -> t + 1024*v);\n", HEAD + ONE),
    "lets": (HEAD + "kernel k(A, inout B) threads 32 {\n", "let v{0} = {0};\n", "copy A(0,_) -> B(0,_) with line; }\n"),
    "fills": (HEAD + "kernel k(A, inout B) threads 32 { shared s : f32 row(64,128);\n", "fill s = 0;\n", "copy A(0,_) -> B(0,_) with line; }\n"),
    "fragments": (HEAD + "kernel k(A, inout B) threads 1024 {\n", "frag r{0} : f32 (1); fill r{0} = 0;\n", "copy A(0,_) -> B(0,_) with line; }\n"),
    "wide-fragments": (HEAD + "kernel k(A, inout B) threads 1024 {\n", "frag r{0} : f32 (8):(256); fill r{0} = 0;\n", "copy A(0,_) -> B(0,_) with line; }\n"),
    "blocks": (HEAD + "kernel k(A, inout B) threads 32 {\n", "for i{0} in 0 .. 2 {{ let v{0} = i{0}; }}\n", "copy A(0,_) -> B(0,_) with line; }\n"),
    "modes": ("", "", ""),
    "slots": ("", "", ""),
}

kind, n = sys.argv[1], int(sys.argv[2])
if kind == "rows":  # of one buffer, all apart in one iteration and not in two
    print("tcp 1;\ntensor A : f32 global row(64,64) align 16;\ntensor B : f32 global row(64,64) align 16;")
    print("kernel k(A, out B) threads 64 {\n  shared s : f32 row(64,64);\n  for i in 0 .. 64 {")
    for i in range(n):
        print(f"    copy A(i,tid) -> s((i*{2 * i + 1}+{i})%64,(tid*{2 * i + 3}+i*{i + 1})%64) with universal(32);")
    print("  }\n  copy s -> B with tile(universal(32),thr=(1,64));\n}")
    sys.exit()
if kind == "primes":  # the same, but that only the bounds of the loop say so
    print("tcp 1;\ntensor A : f32 global row(67,64) align 16;\ntensor B : f32 global row(67,64) align 16;")
    print("kernel k(A, out B) threads 64 {\n  shared s : f32 row(67,64);\n  copy A -> s with tile(universal(32),thr=(1,64));\n  for i in 0 .. 33 {")
    for i in range(n):
        print(f"    copy A(i,tid) -> s((i*{2 * i + 1}+{i})%67,(tid*{2 * i + 3}+i*{i + 1})%64) with universal(32);")
    print("  }\n  copy s -> B with tile(universal(32),thr=(1,64));\n}")
    sys.exit()
if kind == "buffers":  # of one pipeline in a loop, whose bounds are params
    print(f"tcp 1;\nparam N, M : index in 1 .. 1000;\ntensor A : f32 global row(64,64) align 16;\ntensor B : f32 global row(N,M,{2 * n},64) align 16;")
    print("tiled_copy ahead = tile(cp_async.cg(16), thr=(2,16):(16,1), val=(1,4));\ntiled_copy back = tile(universal(128), thr=(2,16):(16,1), val=(1,4));")
    print("kernel k(A, out B) {\n" + "".join(f"  shared s{i} : f32 row(2,64) stages 3;\n" for i in range(n)) + "  for h in 0 .. N {\n    pipeline j in 0 .. M {\n      load {")
    print("".join(f"        copy local_tile(A,(2,64),(0,0)) -> s{i} with ahead;\n" for i in range(n)) + "      }\n      use {")
    print("".join(f"        copy s{i} -> local_tile(B(h,j,_,_),(2,64),({i},0)) with back;\n" for i in range(n)) + "      }\n    }\n  }\n}")
    sys.exit()
if kind == "conflicts":  # of banks, each of which is warned of, and which a layout of the buffer mends
    print(f"tcp 1;\narch sm_90;\ntensor A : f32 global row({n},32,32) align 128;\ntensor B : f32 global row({n},32,32) align 128;")
    print("tiled_copy words = tile(universal(32), thr=(8,32):(32,1), val=(1,1));\nkernel k(A, out B) threads 256 {\n  shared s : f32 row(32,32);")
    print("".join(f"  copy A({i},_,_) -> s with words;\n  copy select(s,(1,0)) -> B({i},_,_) with words;\n" for i in range(n)) + "}")
    sys.exit()
# Loops within loops, and pipelines.
NESTS = {
    "nested-loops": ("for i{0} in 0 .. 2 {{ ", "}"),
    "nested-pipelines": ("pipeline i{0} in 0 .. 1 {{ load {{ }} use {{ ", "} }"),
}
if kind in NESTS:
    begin, end = NESTS[kind]
    inner = "copy A(0,_) -> s(0,_) with line; " if kind == "nested-loops" else ""
    print("tcp 1;\n" + HEAD + "kernel k(A, inout B) threads 32 { shared s : f32 row(1,128); " + "".join(begin.format(i) for i in range(n)) + inner + end * n)
    print("copy A(0,_) -> s(0,_) with line; copy s(0,_) -> B(0,_) with line; }")
    sys.exit()
# The same with copies through shared memory in each, that threads take over from each other.
SHARED = {
    "nested-shared": ("  for i{0} in 0 .. {1} {{ copy A -> s with rows; copy s -> t with columns;", "}"),
    "nested-stages": ("  pipeline i{0} in 0 .. {2} {{ load {{ copy local_tile(A,(8,8),(0,0)) -> s{0} with ahead; }} use {{ frag r{0} : f32 (1); copy s{0}(tid%8,tid/8) -> r{0}(0) with universal(32);", "} }"),
}
if kind in SHARED:
    begin, end = SHARED[kind]
    print("tcp 1;\ntensor A : f32 global row(64,64);\ntiled_copy rows = tile(universal(32), thr=(1,64));\ntiled_copy columns = tile(universal(32), thr=(64,1));")
    print("tiled_copy ahead = tile(cp_async.ca(4), thr=(8,8));\nkernel k(A) threads 64 {\n  shared s : f32 row(64,64); shared t : f32 row(64,64);")
    if kind == "nested-stages":
        print("".join(f"  shared s{i} : f32 (8,8) stages 8;\n" for i in range(n)))
    print("\n".join(begin.format(i, i + 2, i + 20) for i in range(n)) + "\n" + end * n + "\n}")
    sys.exit()
if kind in ("modes", "slots"):
    shape = ",".join("1" for i in range(n))
    stages = " stages 2" if kind == "slots" else ""
    print(f"tcp 1;\ntensor A : f32 global row({shape},32);\nkernel k(A) threads 32 {{ shared s : f32 row({shape},32){stages}; let v = s; }}")
    sys.exit()
if kind == "formals":
    print("tcp 1;\n" + "".join(f"tensor A{i} : f32 global row(4,128);\n" for i in range(n)))
    print("kernel k(" + ", ".join(f"A{i}" for i in range(n)) + ") threads 32 { }")
    sys.exit()
if kind == "variants":  # kernels of five each, for what is not promised of their tensors
    print("tcp 1;\nparam P : index;\n" + "".join(f"tensor A{i} : f32 global row({i},P);\n" for i in range(1, n + 1)) + "tensor B : f32 global row(1,128);")
    print("tiled_copy line = tile(auto(128), thr=32, val=4);")
    for i in range(1, n + 1):
        print(f"kernel k{i}(A{i}, out B) threads 32 {{ shared s : f32 row(1,128); copy local_tile(A{i}, (1,128), (0,0)) -> s with line pad 0; copy s -> B with line; }}")
    sys.exit()
if kind in PLANS:
    before, one, after = PLANS[kind]
    print("tcp 1;\n" + before + "".join(one.format(i, i - 1, i + 1) for i in range(1, n + 1)) + after, end="")
    sys.exit()
if kind == "kernels":
    print("tcp 1;\ntensor A : f32 global row(400,128) align 16;\ntensor B : f32 global row(400,128) align 16;")
    print("tiled_copy line = tile(auto(128), thr=32, val=4);")
    for i in range(n):
        print(f"kernel k{i}(A, inout B) {{ shared s : f32 row(1,128); copy A({i},_) -> s(0,_) with line; copy s(0,_) -> B({i},_) with line; }}")
    sys.exit()
arguments, declaration, copy = BODY[kind]
print("tcp 1;")
for name in "AB" if "B" in arguments else "A":
    print(f"tensor {name} : f32 global row(400,128) align 16;")
print("tiled_copy line = tile(auto(128), thr=32, val=4);")
if "turned" in copy:
    print("tiled_copy turned = tile(universal(32), thr=32);")
if kind == "async":
    print("tiled_copy ahead = tile(cp_async.ca(16), thr=32, val=4);")
print(f"kernel many({arguments}) grid ({2 if kind == 'reads' else 1}) threads 32 {{\n  {declaration}")
begin, end = LOOPS.get(kind, ("", ""))
print(begin + "".join(f"  {copy.format(i)}\n" for i in range(n)) + end + LAST.get(kind, "") + "}")
