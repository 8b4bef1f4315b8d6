"""Compares what the examples give with the files in their expected/ folders, or writes those anew.

usage: golden.py [--write] TCPC [EXAMPLES]

Each folder of examples/ has a file `commands` with lines `FILE: ARGUMENTS`: tcpc runs with ARGUMENTS in that folder, and its
standard output is expected/FILE. 
"""

import argparse
import difflib
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commands(folder):
    """Yields (file, arguments) of each line of 'folder'/commands."""
    for line in (folder / "commands").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, arguments = line.partition(":")
            yield name.strip(), shlex.split(arguments)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("tcpc", nargs="?", default=ROOT / "build/bin/tcpc", type=pathlib.Path)
    parser.add_argument("examples", nargs="?", default=ROOT / "examples", type=pathlib.Path)
    options = parser.parse_args()
    tcpc = options.tcpc.resolve()
    environment = dict(os.environ, NO_COLOR="1")
    bad = count = 0
    for listing in sorted(options.examples.glob("*/commands")):
        folder = listing.parent
        for name, arguments in commands(folder):
            count += 1
            ran = subprocess.run([tcpc, *arguments], cwd=folder, capture_output=True, text=True, env=environment)
            path = folder / "expected" / name
            shown = f"{folder.name}: tcpc {' '.join(arguments)}"
            if ran.returncode != 0:
                print(f"{shown}: exit status {ran.returncode}\n{ran.stderr}")
                bad += 1
                continue
            if options.write:
                path.parent.mkdir(exist_ok=True)
                path.write_text(ran.stdout)
            difference = list(difflib.unified_diff(path.read_text().splitlines() if path.exists() else [],
                                                   ran.stdout.splitlines(), str(path.relative_to(ROOT)), shown, lineterm=""))
            if difference:
                print("\n".join(difference))
                bad += 1
    print(f"{count} outputs of the examples, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
