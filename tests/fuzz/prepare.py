#!/usr/bin/env python3
"""Writes what libFuzzer starts from: the dictionary of the language, that of expressions, and plans of the repository as inputs.

usage: prepare.py TCPC WORDS FOLDER COUNT

COUNT plans are chosen anew each time: libFuzzer runs them all before it looks at its clock.  WORDS prints the rows of the compiler's tables, `KIND NAME` a line; keywords are the scanner's, operations those of `eval --list`.
"""

import hashlib
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 6000
SIGNS = ["->", "..", "==", "!=", "<=", ">=", "(", ")", "{", "}", ",", ";", ":", "=", ".", "%", "*", "/", "block.x", "tid", "9223372036854775807"]


def write(path, words):
    path.write_text("".join(f'"{w}"\n' for w in sorted(set(words))))


def main(tcpc, words, folder, count):
    def said(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    operations = [line.split("(")[0] for line in said(tcpc, "eval", "--list")]
    keywords = re.findall(r'\{"(\w+)", ', (ROOT / "compiler/syntax/scan.c").read_text())
    tables = [line.split(" ", 1)[1] for line in said(words) if not line.startswith("warning")]
    if not operations or not keywords or not tables:
        sys.exit("prepare.py: there are no operations, keywords or rows of tables")
    folder = pathlib.Path(folder)
    shutil.rmtree(folder / "plans", ignore_errors=True)
    (folder / "plans").mkdir(parents=True)
    write(folder / "plan.dict", keywords + tables + SIGNS)
    write(folder / "calc.dict", operations + SIGNS)
    plans = [path.read_bytes() for top in ("examples", "bench", "tests") for path in (ROOT / top).rglob("*.tcp")]
    plans = sorted({text for text in plans if len(text) <= MOST_BYTES})
    for text in random.sample(plans, min(int(count), len(plans))):
        (folder / "plans" / hashlib.sha1(text).hexdigest()).write_bytes(text)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
