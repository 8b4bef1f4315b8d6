"""usage: same_bodies.py FILE.cu KERNEL...: are the bodies of the KERNELs in FILE.cu the same but for names and comments?

A body goes from the parameters to the closing brace.  Removed: comments, `#line`, white space, and the name of the kernel; the
parameters and variables are numbered in the order in which they are declared.  Prints a body if all are the same, else the first
two that differ.
"""

import pathlib
import re
import sys

DECLARED = re.compile(r"(?:\b(?:int|unsigned|long long|float|double|tcp_\w+)\b|__restrict__|[*&])\s*(\w+)\s*(?=[\[=,;)])")


def body(text, kernel):
    """The body of 'kernel' in 'text', without what may differ."""
    found = re.search(rf"\b{kernel}_kernel(\(.*?^\}})", text, re.S | re.M)
    if not found:
        sys.exit(f"no kernel '{kernel}'")
    code = re.sub(r"//[^\n]*|/\*.*?\*/|^#line[^\n]*", "", found[1], flags=re.S | re.M)
    names = {}
    for name in DECLARED.findall(code):
        names.setdefault(name, f"n{len(names)}")
    code = re.sub(r"\b\w+\b", lambda word: names.get(word[0], word[0]), code)
    return "\n".join(filter(None, (" ".join(line.split()) for line in code.split("\n"))))


def main(path, *kernels):
    text = pathlib.Path(path).read_text()
    first = body(text, kernels[0])
    for kernel in kernels[1:]:
        other = body(text, kernel)
        if other != first:
            print(f"{kernels[0]} and {kernel} differ:\n{first}\n\n{other}")
            return 1
    print(f"{len(kernels)} kernels are the same:\n{first}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
