"""usage: promises.py N [more]: a plan in which N tensors have to be promised to be aligned for a swizzle of the buffer that they are
copied to; with "more" also one that is aligned already, one that is read twice, one whose copies are done at once, and one that is
copied to another buffer."""

import sys

n, more = int(sys.argv[1]), sys.argv[2:]
good, plain = (", good", ", plain, far") if more else ("", "")
print("tcp 1;\narch sm_90;\ntiled_mma m = mma(m16n8k16.f32.f16.f16.f32, warps=(4,1,1), tile=(64,16,16));")
for i in range(n):
    print(f"tensor A{i} : f16 global row(64,64) align 16;")
if more:
    print("tensor good : f16 global row(64,64) align 128;\ntensor plain : f16 global row(64,64) align 16;")
    print("tensor far : f16 global row(64,64) align 16;")
print("tensor B : f16 global row(64,64) align 16;")
print(f"kernel k({', '.join(f'A{i}' for i in range(n))}{good}{plain}, out B) {{\n  shared s : f16 row(64,64);")
for i in range(n):
    print(f"  copy A{i} -> s with tile(cp_async.cg(16), thr=(16,8):(8,1), val=(1,8));")
if more:
    print("  shared u : f16 row(64,64);\n  copy far -> u with tile(cp_async.cg(16), thr=(16,8):(8,1), val=(1,8));")
    print("  copy good -> s with tile(cp_async.cg(16), thr=(16,8):(8,1), val=(1,8));")
    print("  copy A0 -> s with tile(cp_async.cg(16), thr=(16,8):(8,1), val=(1,8));")
    print("  copy plain -> s with tile(universal(128), thr=(16,8):(8,1), val=(1,8));")
print("""  for i in 0 .. 4 {
    frag r : f16 like operand_A(m);
    copy local_tile(s, (64,16), (0,i)) -> r with tile(ldmatrix.x4, like=operand_A(m));
    copy r -> local_tile(B, (64,16), (0,i)) with tile(auto(32), like=operand_A(m));
  }
}""")
