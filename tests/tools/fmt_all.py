"""Formats every plan in some folders and checks that the tree stays, and that formatting again changes nothing.

usage: fmt_all.py TCPC FOLDER...
"""

import pathlib
import subprocess
import sys


def tcpc(program, text, *words):
    """What tcpc prints for the plan 'text' on its standard input; None when it refuses."""
    done = subprocess.run([program, *words], input=text, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def main(program, folders):
    plans = [path for folder in folders for path in sorted(pathlib.Path(folder).rglob("*.tcp"))]
    changed = 0
    for path in plans:
        text = path.read_bytes()
        once = tcpc(program, text, "fmt", "-")
        tree = tcpc(program, text, "--emit=ast", "-", "-o", "-")
        if once is None or tree is None:
            if once is not tree:
                print(f"{path}: fmt and parse disagree on whether it is a plan")
                changed += 1
            continue
        if tcpc(program, once, "fmt", "-") != once:
            print(f"{path}: not stable")
            changed += 1
        if tcpc(program, once, "--emit=ast", "-", "-o", "-") != tree:
            print(f"{path}: another plan")
            changed += 1
    print(f"{len(plans)} plans, {changed} changed")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
