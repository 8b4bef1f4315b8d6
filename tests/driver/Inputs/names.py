"""usage: names.py each|joined TCPC WORK RUNTIME [CXX]: no name of a file and no comment of a plan is taken for more than a text.

A plan is compiled, explained, refused and drawn under names with ends of lines, quotes, backslashes, ends of comments and control
characters.  What comes out has the lines that it has under a plain name, each of them fit to be shown.

"each" has a name for each of these, and sees what it alone does.  "joined" has all of them in three names, for a compiler that is
slow to start: every command still meets every character."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.dom.minidom

joined, tcpc, work, runtime = sys.argv[1] == "joined", sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
cxx = sys.argv[5:]
PLAN = b"""tcp 1;
tensor src : f32 global (32,8) align 16;
tensor out1 : f32 global (32,8) align 16;
tiled_copy tc = tile(universal(128), map=(t:32, v:8) -> (t /* \x1b[31m \xff \xe2\x80\xae \\ */ % 4 * 8 + v, t / 4));
kernel k(src, out out1) grid (1) threads 32 {
  copy select(src, (0 /* \x1b]0;x\x07 \xff \\   \\
 a long comment that the compiler has to break over more than one line of the emitted text \\ \\ \\ \\ \\ */, 1)) -> out1 with tc;
}
"""
# Names that a dependency file cannot hold, and such that it can.
UNHELD = [b"a\nint evil;\n.tcp", b"a\rb.tcp", b"\x1b[31mred.tcp", b"a\x7fb.tcp", b"a;b.tcp", b"a|b.tcp", b"a\tb.tcp", b"a=b.tcp"]
HELD = [b"a*/b.tcp", b'a"b.tcp', b"a\\b.tcp", b"a\\ \\ b.tcp", b"a\xc2\x9bb.tcp", "a\u202eb.tcp".encode(), "a\u2028b.tcp".encode(), b"a\xffb.tcp",
        b"%s%n.tcp", b"$(touch x).tcp", b"a:b.tcp", b"a#b.tcp", "\u00fc\u6f22.tcp".encode(), b"</title>&x.tcp", b"#{}_^~.tcp"]
LAST = b"a\\"  # ends in a backslash
IN_C = (b"\n", b"\r", b"*/", b'"', b"\\")  # what a C compiler may take for more than a name
UNFIT = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
wrong = []


def run(*words, status):
    done = subprocess.run([tcpc, *words], capture_output=True, cwd=work)
    if done.returncode != status:
        wrong.append(f"{words}: exit status {done.returncode}, not {status}: {done.stderr!r}")
    return done


def shown(name, what, text):
    """The lines of 'text', once it is known that all of them are fit to be shown."""
    try:
        text = text.decode()
    except UnicodeDecodeError as e:
        wrong.append(f"{name!r}: {what}: {e}")
        return []
    for line in text.split("\n"):
        if UNFIT.search(line):
            wrong.append(f"{name!r}: {what}: {line!r}")
    return text.split("\n")


def bare(lines):
    """Emitted lines without their comments, which name the plan."""
    for line in lines:
        if line.rstrip().endswith("\\"):
            wrong.append(f"this comment goes on in the next line: {line!r}")
    return [re.sub(r'//.*|(#line \d+) ".*"', r"\1", line).rstrip() for line in lines if not re.fullmatch(r"//.*", line.strip())]


def outputs(name):
    (work / os.fsdecode(name)).parent.mkdir(parents=True, exist_ok=True)
    (work / os.fsdecode(name)).write_bytes(PLAN)
    made = shown(name, "emitted", run(name, "-o", "-", status=0).stdout)
    (work / os.fsdecode(name)).write_bytes(PLAN)
    told = shown(name, "explain", run("explain", name, status=0).stdout)
    data = run("explain", "--json", name, status=0).stdout
    try:
        if json.loads(data)["plan"] != name.decode(errors="replace"):
            wrong.append(f"{name!r}: JSON names {json.loads(data)['plan']!r}")
    except ValueError as e:
        wrong.append(f"{name!r}: JSON: {e}")
    run("draw", name, "tc", "-o", "out.svg", status=0)
    xml.dom.minidom.parse(str(work / "out.svg"))
    shown(name, "svg", (work / "out.svg").read_bytes())
    run("draw", name, "tc", "-o", "out.tex", status=0)
    shown(name, "tex", (work / "out.tex").read_bytes())
    shown(name, "ast", run("--emit=ast", name, "-o", "-", status=0).stdout)
    (work / os.fsdecode(name)).write_bytes(PLAN.replace(b"out out1", b"out nothing"))
    said = shown(name, "error", run(name, "-o", "-", status=1).stderr)
    listed = run("--diagnostics=json", name, "-o", "-", status=1).stderr
    try:
        json.loads(listed.decode())
    except ValueError as e:
        wrong.append(f"{name!r}: --diagnostics=json: {e}")
    (work / os.fsdecode(name)).write_bytes(b"tcp   1;\n")
    checked = shown(name, "fmt", run("fmt", "--check", name, status=1).stderr)
    os.unlink(work / os.fsdecode(name))
    missing = shown(name, "no file", run(name, status=2).stderr)
    drawn = shown(name, "no such name", run("draw", "other.tcp", name, status=2).stderr)
    return bare(made), len(told), len(said), len(checked), len(missing), len(drawn)


def depends(name, held):
    """What -MD writes is read by make as these files and no others; or is refused, when it cannot be "held"."""
    (work / os.fsdecode(name)).write_bytes(PLAN)
    done = subprocess.run([tcpc, "-MD", "-MF", "dep.d", "-o", "o.cu", name], capture_output=True, cwd=work)
    if (done.returncode == 0) != held:
        wrong.append(f"{name!r}: -MD: exit status {done.returncode}")
    elif done.returncode:
        lines = shown(name, "depfile", done.stderr)
        if done.returncode != 2 or "no dependency file can hold the name" not in lines[0]:
            wrong.append(f"{name!r}: -MD: {lines}")
        if (work / "o.cu").exists() or (work / "dep.d").exists():
            wrong.append(f"{name!r}: -MD has failed and has left files")
    elif shutil.which("make"):
        (work / "Makefile").write_text("all: o.cu\no.cu:\n\t@echo made anew\ninclude dep.d\n")
        for age, want in ((-100, False), (100, True)):
            stamp = (work / "o.cu").stat().st_mtime + age
            os.utime(work / os.fsdecode(name), (stamp, stamp))
            made = subprocess.run(["make", "all"], capture_output=True, cwd=work)
            if made.returncode or (b"made anew" in made.stdout) != want or (work / "x").exists():
                wrong.append(f"{name!r}: make: {made.stdout!r} {made.stderr!r}")
    for left in ("o.cu", "dep.d", "Makefile", os.fsdecode(name)):
        (work / left).unlink(missing_ok=True)


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
(work / "other.tcp").write_bytes(PLAN)
plain = outputs(b"plain.tcp")
names = [(name, True) for name in HELD] + [(name, False) for name in (*UNHELD, LAST)]
if joined:
    names = [(b"-".join(name.removesuffix(b".tcp") for name in HELD) + b".tcp", True),
             (b"-".join(name.removesuffix(b".tcp") for name in UNHELD) + b".tcp", False), (LAST, False)]
for name, held in names:
    now = outputs(name)
    if now != plain:
        wrong.append(f"{name!r}: lines that a plain name has not, or fewer: {[(a, b) for a, b in zip(now, plain) if a != b]}")
    if cxx and any(part in name for part in IN_C):
        (work / os.fsdecode(name)).write_bytes(PLAN)
        run("-o", "o.cpp", name, status=0)
        done = subprocess.run([*cxx, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unknown-pragmas", "-I", runtime, "o.cpp"],
                              capture_output=True, cwd=work)
        if done.returncode:
            wrong.append(f"{name!r}: {done.stderr.decode(errors='replace')}")
        (work / "o.cpp").unlink(missing_ok=True)
    depends(name, held)
for line in shown(b"", "an option", run("--\x1b[31m\n\xff", status=2).stderr)[1:-1] + shown(b"", "eval", run("eval", "(4:\x1b[31m\n", status=1).stderr)[1:-1]:
    wrong.append(f"a second line: {line!r}")
if wrong:
    sys.exit("\n".join(wrong[:40]))
