"""usage: same_ptx.py FILE.ptx KERNEL...: are the PTX bodies of the KERNELs the same, with one 128-bit load and one store each?

A body is what stands from an entry's parameters to its closing brace.  The entry's name, which is also in the names of its
parameters, and comments are removed; registers keep their numbers.  No other access of global, shared or local memory is let pass.
"""

import pathlib
import re
import sys

ENTRY = re.compile(r"^(?:\.visible )?\.entry (\w+)(\(.*?^\})", re.S | re.M)
ACCESS = re.compile(r"^\s*(?:@\S+\s+)?((?:ld|st|red|atom)\.(?!param)\S+)", re.M)
WIDE = r"{}\.global\S*\.(?:v4\.[usbf]32|v2\.[usbf]64)"


def bodies(text):
    """The body of each entry in 'text', by the kernel's name."""
    found = {}
    for mangled, body in ENTRY.findall(text):
        name = re.match(r"_Z(?:N\d+\w*?)?\d+(\w+?)_kernel", mangled) or re.match(r"(\w+?)_kernel", mangled)
        body = re.sub(r"//[^\n]*", "", body.replace(mangled, "K"))
        found[name[1] if name else mangled] = "\n".join(line.strip() for line in body.split("\n") if line.strip())
    return found


def main(path, *kernels):
    found = bodies(pathlib.Path(path).read_text())
    first = found[kernels[0]]
    for kernel in kernels:
        accesses = sorted(ACCESS.findall(found[kernel]))
        if len(accesses) != 2 or not all(re.fullmatch(WIDE.format(verb), access) for verb, access in zip(("ld", "st"), accesses)):
            print(f"{kernel} has other accesses than a load and a store of 128 bits: {' '.join(accesses)}")
            return 1
        if found[kernel] != first:
            print(f"{kernels[0]} and {kernel} differ:\n{first}\n\n{found[kernel]}")
            return 1
    print(f"{len(kernels)} kernels are the same, with a load and a store of 128 bits")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
