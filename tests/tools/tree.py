"""Checks on the tree itself that no compiler makes.

usage: tree.py symbols LIBRARY...   no object of ours lies in memory that is written: no mutable globals, but for one a thread
       tree.py sources              no file names a folder of somebody's machine, or is left for later; long files are listed
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG = 450

# What a thread sets while the library works for it, and takes back (compiler/base/trap.c).
A_THREADS_OWN = {("trap_of_thread", ".tbss")}

# Spelt apart, so that this file does not find itself.
FORBIDDEN = [re.compile(text) for text in ("/" + r"(work|root|home)/\w", r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")]
SOURCES = {".c", ".h", ".l", ".y", ".py", ".md", ".tcp", ".cuh", ".cu", ".txt", ".cmake", ".in", ".json", ".cc", ".cpp", ".sh", ""}


def symbols(libraries):
    """Prints each object symbol of 'libraries' in a section that is written at run time; returns their number."""
    found = 0
    for library in libraries:
        listing = subprocess.run(["objdump", "-t", library], capture_output=True, text=True, check=True).stdout
        member = ""
        for line in listing.splitlines():
            if ":     file format" in line:
                member = line.split(":")[0]
            match = re.match(r"^[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+) (?:\.hidden )?(\S+)$", line)
            if not match or "O" not in match[1]:
                continue
            section = match[2]
            if (match[4], section) in A_THREADS_OWN:
                continue
            if section.startswith((".data", ".bss", ".tdata", ".tbss", "*COM*")) and not section.startswith(".data.rel.ro"):
                print(f"{pathlib.Path(library).name}({member}): '{match[4]}' lies in {section}")
                found += 1
    print(f"{len(libraries)} libraries, {found} mutable objects")
    return found


def sources():
    """Prints each forbidden text in the files that git has; returns their number."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        listed = None
    if not listed or listed.returncode != 0:
        print("not a git checkout: nothing to check")
        return 0
    names = [name for name in listed.stdout.split("\0") if name]
    found, long_files = 0, []
    for name in names:
        path = ROOT / name
        if path.suffix not in SOURCES or not path.is_file() or path.stat().st_size > 1 << 20:
            continue
        lines = path.read_text(errors="replace").splitlines()
        if path.suffix in (".c", ".h", ".y", ".l", ".cuh") and len(lines) > LONG:
            long_files.append((len(lines), name))
        for number, line in enumerate(lines, 1):
            for pattern in FORBIDDEN:
                match = pattern.search(line)
                if match:
                    print(f"{name}:{number}: '{match[0]}'")
                    found += 1
    for count, name in sorted(long_files, reverse=True):
        print(f"long: {name} has {count} lines")
    print(f"{len(names)} files, {found} findings, {len(long_files)} over {LONG} lines")
    return found


if __name__ == "__main__":
    if sys.argv[1:2] == ["symbols"]:
        sys.exit(1 if symbols(sys.argv[2:]) else 0)
    if sys.argv[1:] == ["sources"]:
        sys.exit(1 if sources() else 0)
    sys.exit(__doc__)
