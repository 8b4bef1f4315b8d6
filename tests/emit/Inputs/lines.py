"""usage: lines.py TCPC PLAN...: #line leads accesses to their copies in the plan, and nothing else away from the
emitted file; without them the text is the same; lines that can be broken have at most 100 columns."""

import os
import re
import subprocess
import sys
import tempfile

ACCESS = re.compile(r"\btcp_(ld|st)_\w+\(")
BREAK = re.compile(r"(, | [-+*/%] |&& )\S")
LINE = re.compile(r'#line (\d+) "(.*)"$')


def run(arguments, **more):
    done = subprocess.run(arguments, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def check(tcpc, plan, kind, folder):
    name = "some.cuh" if kind == "header" else "some.cu"
    path = os.path.join(folder, name)
    run([tcpc, "-w", f"--emit={kind}", plan, "-o", path])
    text = open(path, encoding="utf-8").read()
    source = open(plan, encoding="utf-8").read().splitlines()
    copies = [number for number, line in enumerate(source, 1) if re.search(r"\b(copy|fill)\b", line)]
    file, row, statement, accesses = name, 1, None, 0
    for physical, line in enumerate(text.splitlines(), 1):
        where = f"{plan}: line {physical} of its {name}"
        directive = LINE.match(line)
        if directive:
            if statement is not None and not re.fullmatch(r"[^;]*\);", statement):
                sys.exit(f"{where}: what leads to the plan is not one call: {statement}")
            file, row = directive[2], int(directive[1])
            statement = None if file == name else ""
        elif line.startswith("#line"):
            sys.exit(f"{where} is no #line: {line}")
        elif statement is not None:
            # the line on which a call begins counts
            if ACCESS.search(line) and not ACCESS.search(statement):
                accesses += 1
                if file != os.path.basename(plan) or row not in copies:
                    sys.exit(f"{where}, an access, leads to {file}:{row}")
            statement += line
            row += 1
        else:
            if ACCESS.search(line) or (file, row) != (name, physical):
                sys.exit(f"{where} leads to {file}:{row}: {line}")
            row += 1
    bare = run([tcpc, "-w", "--no-line", f"--emit={kind}", plan, "-o", "-"])
    if bare != "".join(line + "\n" for line in text.splitlines() if not line.startswith("#line")):
        sys.exit(f"{plan}: --no-line changes more than #line")
    for line in bare.splitlines():
        if len(line) > 100 and BREAK.search(re.sub(r'"(\\.|[^"])*"|//.*', "", line)):
            sys.exit(f"{plan}: a line of its {name} is too long: {line}")
    return accesses


accesses = 0
with tempfile.TemporaryDirectory() as scratch:
    for one in sys.argv[2:]:
        text = open(one, encoding="utf-8").read()
        for kind in [k for k, word in (("cuda", "\nkernel "), ("header", "\ndevice ")) if word in text]:
            accesses += check(sys.argv[1], one, kind, scratch)
if not accesses:
    sys.exit("no access was seen")
print(f"{accesses} accesses lead to their copies")
