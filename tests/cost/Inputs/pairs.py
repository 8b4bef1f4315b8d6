"""usage: pairs.py N: a kernel with N pairs of buffers whose swizzle is chosen, one of which is copied to the other."""

import sys

print("tcp 1;\narch sm_90;\ntensor P : f32 global row(16,64,64) align 128;\ntensor Q : f32 global row(16,64,64) align 128;")
print("tiled_copy words = tile(universal(32), thr=(8,32):(32,1), val=(1,1));\nkernel k(P, inout Q) threads 256 {")
for i in range(int(sys.argv[1])):
    print(f"  shared s{i} : f32 row(32,64) swizzle auto;\n  shared t{i} : f32 row(32,64) swizzle auto;")
    print(f"  copy local_tile(P({i},_,_), (32,64), (0,0)) -> s{i} with words;\n  copy s{i} -> t{i} with words;")
    print(f"  copy select(t{i}, (1,0)) -> local_tile(Q({i},_,_), (64,32), (0,0)) with words;")
print("}")
