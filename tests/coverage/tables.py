"""Fails when a row of the compiler's tables has no test that takes it, or none in which it is refused.

usage: tables.py TABLES

TABLES prints `KIND NAME` for each atom, builtin, element type and warning.  Atoms, builtins and types are taken by a test that
tcpc has to accept and whose plan names them, and a line of the public cases (tests/golden) counts for the operation it names.  Atoms
and builtins are refused by an error that a test expects with the words of its message, which name them.  A warning is taken by a test that expects `[-Wname]`, and
must be silenced or made an error by another that has `-Wno-name` or `-Werror=name` in a RUN line.
"""

import csv
import re
import subprocess
import sys

import inputs


def names_of(text):
    """The names in 'text', comments aside; `a.b.c` counts as itself and as each of its parts."""
    names = set()
    for name in re.findall(r"[A-Za-z_][\w.]*", inputs.without_comments(text)):
        names |= {name, *name.split(".")}
    return names


def golden(name):
    """The operations of the public cases in tests/golden/'name'."""
    path = inputs.TESTS / "golden" / name
    if not path.exists():
        return set()
    with path.open(newline="") as stream:
        return {row[0] for row in csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE) if row and not row[0].startswith("#")}


def main(program):
    taken, refused = golden("layout_algebra.tsv"), set()
    texts = []
    for test in inputs.lit_tests():
        used = names_of(test.text)
        for expression in test.expressions():
            used |= names_of(expression)
        if not test.fails:
            taken |= used
        for check in test.checks:
            if "error:" in check:
                refused |= names_of(check.partition("error:")[2])
        texts.append(test.text)
    for path in inputs.plans():
        if path.is_relative_to(inputs.ROOT / "examples"):
            taken |= names_of(path.read_text())
    text = "\n".join(texts)

    rows = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    missing = 0
    for row in rows:
        kind, name = row.split(" ", 1)
        if kind == "warning":
            fires, comes_by = f"[-W{name}]" in text or f"-W{name}]" in text, re.search(rf"-Wno-{name}|-Werror={name}", text)
        else:
            fires, comes_by = name in taken, name in refused
        if kind == "type":
            comes_by = True  # what is refused is a name that is no type
        for there, what in ((fires, "takes"), (comes_by, "refuses")):
            if not there:
                print(f"no test {what} {kind} '{name}'")
                missing += 1
    print(f"{len(rows)} rows, {missing} tests missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
