"""Prints a plan with a chain of names, each of which is made of the one before it: STEP N, where STEP says how, of x."""
import re
import sys

step, count = sys.argv[1], int(sys.argv[2])
print("tcp 1;\nparam M : index in 1 .. %d;" % (8 if "ceil_div" in step else 1000000))
print("tensor A : f32 global row(M,64);\ntensor B : f32 global row(M,64);")
print("kernel k(A, inout B) grid (M) threads 64 {")
print("  let x0 = %s;" % ("M" if "ceil_div" in step else "block.x"))
for i in range(count):
    print("  let x%d = %s;" % (i + 1, re.sub(r"\bx\b", "x%d" % i, step)))
print("  copy A(x%d %% M, tid) -> B(block.x, tid) with universal(32);\n}" % count)
