#!/usr/bin/env python3
"""A C++ compiler for `tcpc tune --host --cxx`, whose program measures nothing: it writes what $RESULTS says.

RESULTS is "MS MS .." (default: 1) for the candidates in turn, with "wrong" or "refused" for one that is; "cut" leaves the last line out; "signal" ends the program.
"""
import os, sys

words = os.environ.get("RESULTS", "1").split()
program = sys.argv[sys.argv.index("-o") + 1]
count = open(next(w for w in sys.argv if w.endswith("main.cpp"))).read().count("{run_")
lines = ["device a GPU", "versions driver 1.2, CUDA 3.4", "buffers 2", "rounds 5", "memcpy 100.0"]
for i in range(count):
    word = words[i % len(words)]
    said = {"wrong": f"wrong {i} element 7 is 0x1, expected 0x2", "refused": f"refused {i} too many blocks"}
    lines.append(said.get(word, f"right {i} {word}"))
if words == ["cut"]:
    lines = lines[:-1]
with open(program, "w") as f:
    f.write("#!/bin/sh\n" + ("kill -9 $$\n" if words == ["signal"] else f"cat > \"$2\" << 'END'\n" + "\n".join(lines) + "\nEND\n"))
os.chmod(program, 0o755)
