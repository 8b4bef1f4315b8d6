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
LAST = {"reads": "  copy r -> A(block.x,_) with line;\n"}

kind, n = sys.argv[1], int(sys.argv[2])
arguments, declaration, copy = BODY[kind]
print("tcp 1;")
for name in "AB" if "B" in arguments else "A":
    print(f"tensor {name} : f32 global row(400,128) align 16;")
print("tiled_copy line = tile(auto(128), thr=32, val=4);")
print(f"kernel many({arguments}) grid ({2 if kind == 'reads' else 1}) threads 32 {{\n  {declaration}")
print("".join(f"  {copy.format(i)}\n" for i in range(n)) + LAST.get(kind, "") + "}")
