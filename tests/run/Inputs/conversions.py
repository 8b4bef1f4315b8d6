"""Prints a plan with a kernel for each pair of element types between which a copy converts."""
types = "u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64 f8e4m3 f8e5m2".split()
print("tcp 1;\ntiled_copy tc = tile(auto(128), thr=(32), val=(16));")
for a in types:
    for b in types:
        if a != b:
            print(f"kernel {a}_{b}(A : {a} global (1024) align 16, out B : {b} global (1024) align 16) threads 32 "
                  "{ copy A -> B with tc; }")
