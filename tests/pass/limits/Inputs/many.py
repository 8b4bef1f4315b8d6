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
    # the same with copies that have to be waited for, in a loop
    "async": (
        "A, inout B",
        "shared s : f32 row(1,128);",
        "copy A({0} + 32*i,_) -> s(0,_) with ahead; copy s(0,_) -> B({0} + 32*i,_) with line;",
    ),
}
LOOPS = {"async": ("for i in 0 .. 12 {", "}")}
LAST = {"reads": "  copy r -> A(block.x,_) with line;\n"}

kind, n = sys.argv[1], int(sys.argv[2])
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
if kind == "turned":
    print("tiled_copy turned = tile(universal(32), thr=32);")
if kind == "async":
    print("tiled_copy ahead = tile(cp_async.ca(16), thr=32, val=4);")
print(f"kernel many({arguments}) grid ({2 if kind == 'reads' else 1}) threads 32 {{\n  {declaration}")
begin, end = LOOPS.get(kind, ("", ""))
print(begin + "".join(f"  {copy.format(i)}\n" for i in range(n)) + end + LAST.get(kind, "") + "}")
