#!/usr/bin/env python3
"""usage: nested.py TCPC DEPTH: compiles pipelines nested so deep, and says whether that took less than 256 MB."""
import resource
import subprocess
import sys

tcpc, depth = sys.argv[1], int(sys.argv[2])
text = ["tcp 1;", "tensor A : f32 global row(64,64) align 16;", "tensor B : f32 global row(64,64) align 16;",
        "tiled_copy t = tile(universal(128), thr=(8,16):(16,1), val=(1,4));", "kernel k(A, out B) {"]
text += [f"pipeline i{i} in 0 .. 2 {{ load {{}} use {{" for i in range(depth)]
text += ["}}" * depth, "copy A -> B with t;", "}"]
made = subprocess.run([tcpc, "-w", "-", "-o", "/dev/null"], input="\n".join(text), capture_output=True, text=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
print(depth, made.returncode, "less than 256 MB" if peak < 256 else f"{peak} MB", made.stderr.split("\n")[0])
