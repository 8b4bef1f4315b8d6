"""usage: each.py FOLDER COMMAND PLAN...: writes what COMMAND PLAN -o FILE makes of each plan into FOLDER."""

import pathlib
import shlex
import subprocess
import sys

folder, command = pathlib.Path(sys.argv[1]), shlex.split(sys.argv[2])
for plan in map(pathlib.Path, sys.argv[3:]):
    subprocess.run([*command, str(plan), "-o", str(folder / f"{plan.stem}.cu")], check=True)
