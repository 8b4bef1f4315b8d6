"""usage: promises.py N: a plan in which N tensors have to be promised to be aligned for a swizzle of the buffer that they are copied to."""

import sys

n = int(sys.argv[1])
print("tcp 1;\narch sm_90;\ntiled_mma m = mma(m16n8k16.f32.f16.f16.f32, warps=(4,1,1), tile=(64,16,16));")
for i in range(n):
    print(f"tensor A{i} : f16 global row(64,64) align 16;")
print("tensor B : f16 global row(64,64) align 16;")
print(f"kernel k({', '.join(f'A{i}' for i in range(n))}, out B) {{\n  shared s : f16 row(64,64);")
for i in range(n):
    print(f"  copy A{i} -> s with tile(cp_async.cg(16), thr=(16,8):(8,1), val=(1,8));")
print("""  for i in 0 .. 4 {
    frag r : f16 like operand_A(m);
    copy local_tile(s, (64,16), (0,i)) -> r with tile(ldmatrix.x4, like=operand_A(m));
    copy r -> local_tile(B, (64,16), (0,i)) with tile(auto(32), like=operand_A(m));
  }
}""")
