#!/usr/bin/env python3
"""usage: shuffled.py TCPC N: compiles a loop of N copies to permuted places of one buffer, and counts its barriers."""
import subprocess
import sys

tcpc, n = sys.argv[1], int(sys.argv[2])
text = ["tcp 1;", "tensor A : f32 global row(64,64) align 16;", "tensor B : f32 global row(64,64) align 16;",
        "kernel k(A, out B) threads 64 {", "shared s : f32 row(64,64);", "for i in 0 .. 64 {"]
text += [f"copy A(i,tid) -> s((i*{2*i + 1}+{i})%64,(tid*{2*i + 3}+i*{i + 1})%64) with universal(32);" for i in range(n)]
text += ["}", "copy s -> B with tile(universal(32),thr=(1,64));", "}"]
made = subprocess.run([tcpc, "-w", "-", "-o", "-"], input="\n".join(text), capture_output=True, text=True)
print(n, made.returncode, made.stdout.count("tcp_sync();"), "barriers", made.stderr.split("\n")[0])
