"""Lets make read the dependency files of the folder: it must find every file that they name, names with blanks too."""

import os
import pathlib
import shutil
import subprocess
import sys

if not shutil.which("make"):
    sys.exit(0)
for name, goal in (("plan.d", "plan.cu"), ("o p.v.d", "o p.v.cu")):
    # of an output that is newer than all files nothing is to be done; one that is older has to be made
    quoted = name.replace(" ", "\\ ")
    target = goal.replace(" ", "\\ ")
    pathlib.Path("Makefile").write_text(f"{target}:\n\t@echo made anew\ninclude {quoted}\n")
    for change, want in ((None, False), ("Inputs/sizes.tcp", True)):
        pathlib.Path(goal).touch()
        if change:
            stamp = pathlib.Path(goal).stat()
            os.utime(change, (stamp.st_atime + 10, stamp.st_mtime + 10))
        done = subprocess.run(["make", goal], capture_output=True, text=True)
        if done.returncode or ("made anew" in done.stdout) != want:
            sys.exit(f"{name}, {change}: {done.stdout}{done.stderr}")
        if change:
            os.utime(change, (stamp.st_atime - 100, stamp.st_mtime - 100))
