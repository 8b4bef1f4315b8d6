"""usage: carried.py N: a pipeline that loads from N tensors, each with an offset of its own that grows by a param's value each step."""

import sys

n = int(sys.argv[1])
print("tcp 1;\nparam N : index in 1 .. 1000;\nparam lda : index in 32 .. 10000000;")
for i in range(n):
    print(f"tensor A{i} : f32 global ({i + 16},N):(1,lda);")
print("tensor B : f32 global (16,N);\ntiled_copy t = tile(auto(32), thr=(4,1), val=(4,1));")
print(f"kernel k({', '.join(f'A{i}' for i in range(n))}, out B) {{")
for i in range(n):
    print(f"  shared s{i} : f32 (16,1);")
print("  pipeline n in 0 .. N {\n    load {")
for i in range(n):
    print(f"      copy A{i}({i} .. {i + 16},n .. n + 1) -> s{i} with t;")
print("    }\n    use {")
print("      copy s0 -> local_tile(B, (16,1), (0,n)) with t;")
print("    }\n  }\n}")
