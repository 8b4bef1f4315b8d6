"""What the compiler tells of small mistakes, and what its fix-its make of them.

usage: told.py TCPC FILE

FILE has a case a line: `IN name: statements` stand in a kernel that copies A to B with tc, `TOP name: declarations` stand alone, and `PLAN name: text` is
all of a plan behind `tcp 1;`; a \\n is a new line.  Of each case its messages are printed, each as `name: error: text`, or `name: right` where there is
none. Where there are fix-its, `name: fixed: line` is each line that they change, and `name: then ..` what the compiler tells of the whole then.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = """tcp 1;
tensor A : f32 global row(64,64) align 16;
tensor B : f32 global row(64,64) align 16;
tiled_copy tc = tile(universal(128), thr=(8,16):(16,1), val=(1,4));
"""
KERNEL = "kernel k(A, out B) grid (1) threads 128 {{\n  {}\n}}\n"


def cases(file):
    """Yields the name and the plan of each case in the text of a file."""
    for kind, name, text in re.findall(r"^(IN|TOP|PLAN) ([\w-]+): (.*)$", file, re.M):
        text = text.replace("\\n", "\n")
        yield name, HEAD + KERNEL.format(text) if kind == "IN" else f"tcp 1;\n{text}\n" if kind == "TOP" else f"{HEAD}{text}\n"


def told(tcpc, path):
    """The messages of a plan, the warnings of what nothing uses left out."""
    run = subprocess.run([tcpc, "--diagnostics=json", "-Wno-unused", path, "-o", "-"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return json.loads(run.stderr) if run.stderr.startswith("[") else []


def tell(name, messages, word=""):
    for message in messages:
        for part in [message, *message.get("notes", [])]:
            print(f"{name}:{word} {part['severity']}: {part['message']}")
    if not messages:
        print(f"{name}:{word} right")


def main():
    tcpc, file = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "case.tcp"
        for name, text in cases(pathlib.Path(file).read_text()):
            path.write_text(text)
            messages = told(tcpc, path)
            tell(name, messages)
            if not any(message.get("fixits") for message in messages):
                continue
            before = path.read_text().splitlines()
            subprocess.run([tcpc, "--fix", path], stderr=subprocess.DEVNULL, check=False)
            for old, new in zip(before, path.read_text().splitlines()):
                if old != new:
                    print(f"{name}: fixed: {new.strip()}")
            tell(name, told(tcpc, path), " then")


if __name__ == "__main__":
    main()
