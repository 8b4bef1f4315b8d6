"""Writes files that include several C files each, which compile faster than those do, and write their counters into one file.

usage: unity.py PREFIX FILE...     writes PREFIX0.c, PREFIX1.c, ..., and prints the paths of what it wrote, with ; between them

Files meet only where nothing that one of them, or a header that it includes, defines is a word of the other one or of its headers.
"""

import functools
import pathlib
import re
import sys

MOST = 12  # files in one: so that all cores have work
IGNORED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
DEFINED = re.compile(r"^(?:static\b[^;=({\n]*?\b(\w+)\s*[(=\[;]|\s*#\s*define\s+(\w+)|(?:typedef\s+)?(?:struct|union|enum)\s+(\w+)\s*\{"
                     r"|typedef\b[^;{]*?(\w+);|\}\s*(\w+);)", re.M)
CONSTANTS = re.compile(r"\benum\b[^{;()]*\{(.*?)\}", re.S)
COMPILER = pathlib.Path(__file__).resolve().parents[2] / "compiler"


@functools.cache
def read(path):
    """(what it defines for itself, all its words, the headers that it names) of a file."""
    text = path.read_text()
    code = IGNORED.sub("", text)
    defined = {name for match in DEFINED.finditer(code) for name in match.groups() if name}
    for match in CONSTANTS.finditer(code):
        defined.update(re.findall(r"(?:^|,)\s*(\w+)", match[1]))
    return defined, set(re.findall(r"\w+", code)), INCLUDE.findall(text)


@functools.cache
def reached(path):
    """The file, and the headers of the compiler that it includes."""
    found, left = {path}, [path]
    while left:
        at = left.pop()
        for name in read(at)[2]:
            for header in (at.parent / name, COMPILER / name, COMPILER / name.partition("/")[2]):
                if header.is_file():
                    if header.resolve() not in found:
                        found.add(header.resolve())
                        left.append(header.resolve())
                    break
    return found


def meet(one, other):
    """Whether the files may be in one."""
    ones, others = reached(one), reached(other)
    return not any(read(a)[0] & read(b)[1] for mine, theirs in ((ones, others), (others, ones)) for a in mine - theirs for b in theirs - mine)


def main(prefix, names):
    groups = []
    for path in sorted(pathlib.Path(name).resolve() for name in names):
        for group in groups:
            if len(group) < MOST and all(meet(path, other) for other in group):
                group.append(path)
                break
        else:
            groups.append([path])
    made = [pathlib.Path(f"{prefix}{number}.c") for number in range(len(groups))]
    for file, group in zip(made, groups):
        text = "".join(f'#include "{path}"\n' for path in group)
        if not file.exists() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    print(";".join(map(str, made)), end="")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
