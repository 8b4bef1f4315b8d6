#!/usr/bin/env python3
"""Keeps one architecture's code of a CUDA library. The code of the others becomes zeros, so that the file packs well.

usage: thin.py LIBRARY OUT [SM]        default: 90

A fat binary is a header (magic number, version and size of the header, size of what follows) and then entries, each with a header of its own
(kind, version, size of the header, size of the code, and 28 bytes from its begin the architecture). Kind 1 is PTX, kind 2 machine code.
"""
import mmap
import pathlib
import struct
import sys

MAGIC = struct.pack("<I", 0xBA55ED50)
MACHINE_CODE = 2


def main():
    source, out, sm = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 90
    out.write_bytes(pathlib.Path(source).read_bytes())
    kept = 0
    with open(out, "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        at = data.find(MAGIC)
        while at >= 0:
            header, size = struct.unpack_from("<HQ", data, at + 6)
            entry, end = at + header, at + header + size
            while entry < end:
                kind, entry_header, code = struct.unpack_from("<H2xIQ", data, entry)
                if kind not in (1, MACHINE_CODE):
                    break
                begin, entry_end = entry + entry_header, entry + entry_header + code
                if (kind, struct.unpack_from("<I", data, entry + 28)[0]) == (MACHINE_CODE, sm):
                    kept += code
                else:
                    data[begin:entry_end] = bytes(code)
                entry = entry_end
            at = data.find(MAGIC, max(end, at + 4))
    print(f"{out}: {kept >> 20} MiB of code for sm_{sm}", file=sys.stderr)


main()
