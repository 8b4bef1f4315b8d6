"""usage: same.py TCPC: each operation that `tcpc eval` lists has the same value by `tcpc eval` and by a plan's 'expect'; so have
operators, and what is written without an operation.  The list says which operations only one of the two has."""

import re
import subprocess
import sys

# of each operation an expression or more; what is not here is missing
EXAMPLES = """
append((4,2):(1,4), 8:8)
append_to_rank(4:1, 2, 1:0)
blocked_product((2,2):(1,2), (3,2):(1,3))
ceil_div(7, 2)
ceil_div((7,9), (2,4))
ceil_div_tiler((7,9), 2)
coalesce((4,(2,3)):(1,(4,8)))
coalesce((4,(2,3)):(1,(4,8)), (_,_))
coalesce_by_mode((4,(2,3)):(1,(4,8)), (_,_))
col(4, 8)
col((4,(2,3)))
col_major(4, 8)
compact_col_major((4,8))
compact_row_major((4,8))
compatible((4,8), ((2,2),8))
compatible((4,8), ((2,2),4))
complement(4:2, 24)
composed_eval(Sw<2,0,2>, 0, (4,4):(1,4), (1,1))
composition((4,8):(8,1), 4:2)
composition(64:1, (8,8):(8,1), (4,2):(1,8))
composition_swizzle(Sw<2,0,2>, 0, (4,4):(1,4))
composition_swizzles(Sw<2,0,2>, Sw<2,0,2>)
congruent((4,8), (1,2))
congruent((4,8), 4)
coshape((4,8):(8,1))
cosize((4,8):(8,1))
cosize_mode((4,8):(8,1), 0)
crd2crd((1,2), (4,8), (8,4))
crd2idx((1,2), (4,8))
crd2idx((1,2), (4,8):(8,1))
depth((4,(2,3)))
depth_mode((4,(2,3)), 1)
dice((1,_), (4,8):(8,1))
domain_distribute((4,8), 4)
downcast((4,8):(8,1), 2)
downcast_swizzle(2, Sw<2,1,3>)
evenly_divides((4,8), (2,4))
filter((4,8,3):(8,0,1))
filter_by_mode((4,8):(0,1), (_,_))
filter_zeros((4,8):(8,0))
flat_divide((8,8):(8,1), (4,2))
flat_product((2,2):(1,2), (3,2):(1,3))
flatten((4,(2,3)):(1,(4,8)))
get((4,(2,3)):(1,(4,8)), 1)
get_1d_coord((4,8):(1,4), 9)
get_flat_coord((4,8):(1,4), 9)
get_hier_coord((4,8):(1,4), 9)
group_modes((4,2,3):(1,4,8), 0, 2)
identity_flat_divide((8,8), (4,2))
identity_logical_divide((8,8), (4,2))
identity_tiled_divide((8,8), (4,2))
identity_zipped_divide((8,8), (4,2))
idx2crd(9, (4,8))
left_inverse((4,8):(8,1))
local_partition((8,8):(8,1), (2,4):(4,1), 3)
local_partition_proj((8,8,4):(8,1,64), (2,4,2):(4,1,8), 3, (1,1,_))
local_tile((8,8):(8,1), (4,4), (1,1))
local_tile_proj((8,8):(8,1), (4,4,2), (1,1,0), (1,1,_))
logical_divide((8,8):(8,1), <4,4>)
logical_divide((8,8):(8,1), <4:2,8:1>)
logical_product((2,2):(1,2), 3:1)
make_fragment_like((4,8):(8,1))
make_identity_layout((4,8))
make_layout((4,8))
make_layout((4,8), (8,1))
make_layout(4:1, 8:4, 2:32)
make_layout(4:1, 8)
make_layout(4, 8, 2)
make_layout(4:1, 8:4, 2:32, 2:64, 2:128, 2:256)
make_layout_like((4,8):(8,1))
make_ordered_layout((4,8,2), (2,0,1))
make_swizzle(1792, 56)
max_alignment((4,8):(8,1))
max_common_layout((4,8):(1,4), (4,8):(1,8))
max_common_vector((4,8):(1,4), (4,8):(1,8))
nullspace((4,8):(0,1))
prepend((4,2):(1,4), 8:8)
prepend_to_rank(4:1, 2, 1:0)
product_each((4,(2,3)))
raked_product((2,2):(1,2), (3,2):(1,3))
rank((4,(2,3)))
rank((4,(2,3)), 1)
rank_mode((4,(2,3)), 1)
recast((4,8):(8,1), f16, f32)
recast_layout((4,8):(8,1), f16, f32)
replace((4,8):(8,1), 0, 2:1)
right_inverse((4,8):(8,1))
round_up((7,9), (2,4))
row(4, 8)
row((4,(2,3)))
row_major(4, 8)
select((4,8,2):(1,4,32), (2,0))
shape((4,8):(8,1))
shape((4,(2,3)):(1,(4,8)), 1)
shape_div((4,8), (2,4))
size((4,8))
size((4,(2,3)), 1)
size_mode((4,(2,3)), 1)
slice((1,_), (4,8):(8,1))
slice_and_offset((1,_), (4,8):(8,1))
stride((4,8):(8,1))
swizzle_apply(Sw<2,0,2>, 7)
take((4,2,3):(1,4,8), 0, 2)
tile_to_shape((2,2):(2,1), (8,8))
tile_to_shape((2,2):(2,1), (8,8), (1,0))
threads(tile(universal(32), thr=(4,8), val=(1,4)))
tiler(tile(universal(32), thr=(4,8), val=(1,4)))
tv(tile(universal(32), thr=(4,8), val=(1,4)))
tv_dst(tile(universal(32), thr=(4,8), val=(1,4)))
tv_src(tile(universal(32), thr=(4,8), val=(1,4)))
operand_A(mma(m16n8k16.f32.f16.f16.f32, warps=(4,1,1), tile=(64,16,16)))
operand_B(mma(m16n8k16.f32.f16.f16.f32, warps=(4,1,1), tile=(64,16,16)))
operand_C(mma(m16n8k16.f32.f16.f16.f32, warps=(4,1,1), tile=(64,16,16)))
tiled_divide((8,8):(8,1), (4,2))
tiled_product((2,2):(1,2), (3,2):(1,3))
unflatten((4,2,3):(1,4,8), (_,(_,_)))
upcast((4,8):(8,1), 2)
upcast_swizzle(2, Sw<2,1,3>)
weakly_congruent(4, (1,2))
with_shape((4,8):(1,4), (8,4))
zip((4,8):(8,1), (2,3):(1,2))
zipped_divide((8,8):(8,1), (4,2))
zipped_product((2,2):(1,2), (3,2):(1,3))
""".split("\n")[1:-1]

# without an operation
OTHERS = """
2 + 3 * 4
(2 + 3) * 4
20 - 3 - 4
-7 / 2
7 / 2
-7 % 4
7 % 4
-(3 + 4)
2 * 3 == 6
2 * 3 != 6
2 < 3
3 <= 2
3 > 2
2 >= 3
(4,8) == (4,8)
(4,8):(8,1) == row(4,8)
(1 == 1)
(4,8)
(4,(2,_))
3@1
<4:1,8:2>
(4,8):(8,1)
Sw<2,0,3>
Sw<2,0,3> o (8,8):(8,1)
Sw<2,0,3> o 8 o (8,8):(8,1)
(4,8):(8,1) o 4:2
(64:1) o (8,8):(8,1) o (4,2):(1,8)
5 + (4,8):(8,1)
row(4,8)(2, 3)
row(4,8)(_, 3)
size((4,8)) == 32
size(row(4,8)) / 4 + 2 * 3 == 14
tv(tile(universal(32), thr=(4,8), val=(1,4)))
threads(tile(universal(32), thr=(4,8), val=(1,4))) == 32
(1) == 1
(2,(3)) == (2,3)
(8):(1) == 8:1
row(8)
col(8)
32:1 o row(2)
make_layout((4,8):(8,1))
make_layout(4:2)
make_layout(4:2) == (4):(2)
composition(3+(4,8):(8,1), 8:1)
(3+(4,8):(8,1)) o (2,2)
(0+(4,8):(8,1)) o 8:1
3 >= -9223372036854775807
9223372036854775807 == -9223372036854775807
16 / -2
-7 / -2
7 % -4
-7 % -4
9223372036854775807 / -1
2*3:1
(2,2):(2*3,-1*4)
3@1@0
2*4@1
-(3@1)
(2):(3@1@0)
(1@0)
1@0 + 2@1 + (2,2):(1@0,1@1)
4 - 1 + (8):(1)
(8,8):(8,1) o Sw<1,0,3> o 8 o 16:1
64:1 o Sw<2,0,2> o 0 o Sw<2,0,2> o 0 o 16:1
Sw<2,0,2> o Sw<2,0,2>
Sw<2,0,2> o Sw<2,0,2> o 16:1
Sw<2,0,2> o 4 o (8,8):(8,1) o (2,2)
3 + Sw<2,0,2> o 4 o (8,8):(8,1)
recast(4+(8,64):(64,1), f16, f32)
""".split("\n")[1:-1]


# what both refuse
REFUSED = """
1@0@1@2@3
1@0 * 2
1@0 + 2@1
8 / 0
9223372036854775807 + 1
(-9223372036854775807 - 1) / -1
4:1 o 8 o Sw<2,0,2>
Sw<2,0,2> o
Sw<2,0,2> o 3 o Sw<2,0,2>
3 + Sw<2,0,2>
4:1:1
(4,8):(1,4,2)
(4,8
row(4,8)(9,9,9)
coalesce()
left_inverse(6:0)
nothing(4:1)
2 == universal(32)
1 == 1 == 1
4 << 2
size<1>((4,8))
[4,8]
""".split("\n")[1:-1] + [" o ".join(["64:1"] * 65), "(" * 300 + "4" + ")" * 300, "0" + " - - 4" * 5000]


def run(*arguments, text=None):
    return subprocess.run([sys.argv[1], *arguments], input=text, capture_output=True, text=True)


def values(expressions):
    """What `tcpc eval -` says of each one."""
    return run("eval", "-", text="\n".join(expressions) + "\n").stdout.splitlines()


def errors(statements):
    """What is wrong with each statement in a plan, or ""; ten to a plan, which has an end to its errors."""
    said = []
    for at in range(0, len(statements), 10):
        part = statements[at:at + 10]
        text = run("-w", "-", "-o", "-", "--emit=plan", text="tcp 1;\n" + "\n".join(part) + "\n").stderr
        found = dict(re.findall(r"^<stdin>:(\d+):\d+: error: (.*)", text, re.M)[::-1])
        said += [found.get(str(line), "") for line in range(2, len(part) + 2)]
    return said


listed = {line.split("(")[0]: line for line in run("eval", "--list").stdout.splitlines()}
alone = {name for name, line in listed.items() if "eval only: " in line}
operations = {name for name, line in listed.items() if "plans only: " not in line}
missing = operations - {word for example in EXAMPLES for word in re.findall(r"\w+(?=\()", example)}
if missing:
    sys.exit(f"no example has {sorted(missing)}")
both, expressions = set(), EXAMPLES + OTHERS
given = values(expressions)
expected = [e if v in ("true", "false") else f"{e} == {v}" for e, v in zip(expressions, given)]
for example, value, said in zip(expressions, given, errors([f"expect {e};" for e in expected])):
    name = example.split("(")[0]
    if value.startswith("error: "):
        sys.exit(f"{example}: {value}")
    if name in alone:
        if f"nothing is called '{name}'" not in said:
            sys.exit(f"{name} is listed as one that plans do not have, and they do:\n{said}")
        continue
    both.add(name)
    wrong = not said.startswith("this does not hold: ") if value == "false" else said
    if wrong:
        sys.exit(f"{example} is {value} by 'tcpc eval', but not in a plan:\n{said}")
for text, value in zip(REFUSED, values(REFUSED)):
    said = errors([f"const x = {text};"])[0]
    if not value.startswith("error: ") or not said:
        sys.exit(f"{text[:80]} is not refused by both: {value}, {said}")
plans = sorted(listed.keys() - operations)
for name, value in zip(plans, values([f"{name}(4:1, 4:1)" for name in plans])):
    if not value.startswith("error: "):
        sys.exit(f"{name} is listed as one of plans alone, and 'tcpc eval' has it")
print(f"{len(both & operations)} operations have the same values, {len(alone)} are of 'tcpc eval' alone, {len(plans)} of plans alone")
