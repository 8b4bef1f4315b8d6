"""usage: autos.py N [K [MORE]]: K kernels (1), each of which reads columns of N buffers whose swizzle is chosen, with the statement MORE for each."""

import sys

kernels = int(sys.argv[2]) if len(sys.argv) > 2 else 1
more = sys.argv[3] if len(sys.argv) > 3 else ""
print("tcp 1;\narch sm_90;\ntensor P : f32 global row(16,64,64) align 128;\ntensor Q : f32 global row(16,64,64) align 128;")
print('extern device f(row : f32 shared (64)) from "f.cuh";')
print("tiled_copy words = tile(universal(32), thr=(8,32):(32,1), val=(1,1));")
for k in range(kernels):
    print(f"kernel k{k}(P, inout Q) threads 256 {{")
    for i in range(int(sys.argv[1])):
        print(f"  shared s{i} : f32 row(64,64) swizzle auto;")
        print(f"  copy P({i},_,_) -> s{i} with words;")
        print(f"  copy select(s{i}, (1,0)) -> Q({i},_,_) with words;")
        if more:
            print("  " + more.format(i))
    print("}")
