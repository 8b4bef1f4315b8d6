"""usage: kept.py TCPC WORK: no output is written over what was read, what is overwritten keeps mode and links, and a write that
fails leaves what was there and no file of ours."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

tcpc, work = sys.argv[1], pathlib.Path(sys.argv[2])
PLAN = """tcp 1;
extern device twice(a : f32 shared (32)) from "twice.h";
tensor src : f32 global (32) align 16;
tensor dst : f32 global (32) align 16;
tiled_copy tc = tile(universal(32), thr=(32), val=(1));
kernel move(src, out dst) grid (1) threads 32 {
  copy src -> dst with tc;
}
"""
wrong = []


def run(*words, status, error=None, **more):
    done = subprocess.run([tcpc, *words], capture_output=True, text=True, cwd=work, **more)
    if done.returncode != status or (error and error not in done.stderr):
        wrong.append(f"{words}: exit status {done.returncode}, want {status} and {error!r}: {done.stderr}")
    return done


def expect(holds, what):
    if not holds:
        wrong.append(what)


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
plan = work / "plan.tcp"
plan.write_text(PLAN)
over = "is read here; it is not overwritten"

# -- inputs of every kind
for name in ("twice.h", "plan.cu", "main.cpp", "run", "build.log", "move.dst.expect", "words"):
    (work / name).write_text(PLAN)
run("-w", "plan.tcp", "-o", "twice.h", status=2, error=over)
(work / "words").write_text("-w plan.tcp -o words")
run("@words", status=2, error=over)
(work / "words").write_text("plan.tcp tc --format=svg -o words")
run("draw", "@words", status=2, error=over)
(work / "words").write_text("@more")
(work / "more").write_text("-w plan.tcp -o words")
run("@words", status=2, error=over)
expect((work / "words").read_text() == "@more", "a response file was overwritten")
with open(plan) as f:
    run("-w", "-", "-o", "plan.tcp", status=2, error=over, stdin=f)
done = subprocess.run([tcpc, "fmt", "plan.tcp"], cwd=work, stdout=open(plan, "a"), stderr=subprocess.PIPE, text=True)
expect(done.returncode == 2 and over in done.stderr, f"fmt behind the plan itself: {done.stderr}")
for name in ("plan.cu", "main.cpp", "move.dst.expect"):
    run("run", "-w", name, "--write", ".", status=2, error=over)
    expect((work / name).read_text() == PLAN, f"--write overwrote {name}")
for name in ("run", "build.log"):
    run("run", "-w", "--host", "./" + name, "--keep", ".", status=2, error=over)
    expect((work / name).read_text() == PLAN, f"--keep overwrote {name}")
expect(plan.read_text() == PLAN, "the plan was overwritten")
run("-w", "plan.tcp", "-o", "same", "-MD", "-MF", "./same", status=2, error="both the output and its dependency file")
run("-w", "plan.tcp", "-o", "same.d", "-MD", status=2, error="both the output and its dependency file")
run("-w", "plan.tcp", "-o", "made.cu", "-MD", status=0)

# -- files of somebody else, and ours, in a folder that is kept
foreign = "was not made by tcpc; it is not overwritten"
for option in ("--write", "--keep"):
    for name in ("plan.cu", "main.cpp", "move.dst.expect", "made-by-tcpc"):
        folder = work / "theirs"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / name).write_text("theirs")
        run("run", "-w", "--host", "--cxx", "false", "plan.tcp", option, "theirs", status=2, error=f"'theirs/{name}' {foreign}")
        expect([(f.name, f.read_text()) for f in folder.iterdir()] == [(name, "theirs")], f"{option} changed a folder with {name}")
    (folder / name).unlink()
    (folder / "notes").write_text("theirs")
    for _ in range(2):  # what was made before is made again
        run("run", "-w", "--host", "plan.tcp", "--write", "theirs", status=0)
    (folder / "run").write_text("theirs")
    run("run", "-w", "--host", "plan.tcp", "--keep", "theirs", status=2, error=f"'theirs/run' {foreign}")
    expect((folder / "run").read_text() == (folder / "notes").read_text() == "theirs", "--keep changed what is not ours")

# -- mode and links
old, new = "tcp   1;\n", "tcp 1;\n"
kept = work / "kept.tcp"
for mode in (0o600, 0o640, 0o755):
    kept.write_text(old)
    kept.chmod(mode)
    run("fmt", "-i", "kept.tcp", status=0)
    expect(kept.read_text() == new and kept.stat().st_mode & 0o7777 == mode, f"fmt -i: mode {kept.stat().st_mode:o}, not {mode:o}")
kept.write_text(old + "// " + "x" * 9000 + "\n")
os.link(kept, work / "second.tcp")
run("fmt", "-i", "kept.tcp", status=0)
expect(kept.stat().st_ino == (work / "second.tcp").stat().st_ino and kept.read_text().startswith(new), "fmt -i broke a hard link")
(work / "second.tcp").unlink()
if os.geteuid() == 0:
    kept.write_text(old)
    os.chown(kept, 12345, 12346)
    run("fmt", "-i", "kept.tcp", status=0)
    expect((kept.stat().st_uid, kept.stat().st_gid) == (12345, 12346), "fmt -i changed the owner")
else:
    kept.write_text(old)
    kept.chmod(0o400)
    run("fmt", "-i", "kept.tcp", status=2, error="cannot write")
long = work / ("n" * 251 + ".tcp")
long.write_text(old)
run("fmt", "-i", long.name, status=0)
expect(long.read_text() == new, "fmt -i of a long name")

# -- writes that fail
before = sorted(os.listdir(work))


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (40, 40))


(work / "made.cu").write_text("before")
run("-w", "plan.tcp", "-o", "made.cu", status=2, error="File too large", preexec_fn=limited)
expect((work / "made.cu").read_text() == "before", "a write beyond the limit changed the file")
os.link(work / "made.cu", work / "second.cu")
run("-w", "plan.tcp", "-o", "made.cu", status=2, error="File too large", preexec_fn=limited)
expect((work / "second.cu").read_text() == "before", "a write beyond the limit changed the file of two links")
(work / "second.cu").unlink()
for option in ([], ["--write", "part"], ["--keep", "part"]):
    run("run", "-w", "--host", "plan.tcp", *option, status=2, error="File too large", preexec_fn=limited)
    expect("--write" not in option or not (work / "part").exists(), "a write that failed left its folder")
shutil.rmtree(work / "part", ignore_errors=True)
run("-w", "plan.tcp", "-o", "/dev/full", status=2, error="No space left")
expect(sorted(os.listdir(work)) == before, f"files of ours are left: {set(os.listdir(work)) - set(before)}")

# -- signals: the old text or the new one, and no file of ours
shutil.rmtree(work / "ended", ignore_errors=True)
(work / "ended").mkdir()
out = work / "ended" / "o.cu"
for i in range(40):
    out.write_text("before")
    process = subprocess.Popen([tcpc, "-w", plan, "-o", out], stderr=subprocess.DEVNULL)
    time.sleep(i / 1000)
    process.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3])
    process.wait()
    text = out.read_text()
    expect(text == "before" or text.endswith("}\n\n#endif\n"), f"a signal after {i} ms left half a file: {text[-40:]!r}")
expect(os.listdir(work / "ended") == ["o.cu"], f"a signal left {os.listdir(work / 'ended')}")

# -- what is no file to read, and what is not there
os.mkfifo(work / "pipe.tcp")
for path, what in (("pipe.tcp", "not a regular file"), ("/dev/zero", "not a regular file"), (".", "Is a directory")):
    (work / "imports.tcp").write_text(f'tcp 1;\nimport "{path}";\n')
    run("imports.tcp", "-o", "-", status=1, error=what, timeout=20)
run("run", "missing.tcp", status=2, error="cannot read")
run("run", "-w", "--host", "plan.tcp", status=2, error="'no-such-c++', named by $CXX, was not found",
    env=dict(os.environ, CXX="no-such-c++"))

# -- the plan's folder is where #include "..." looks, and not where <...> does
own = work / "own"
own.mkdir()
(own / "plan.tcp").write_text(PLAN.replace('extern device twice(a : f32 shared (32)) from "twice.h";\n', ""))
for name in ("mutex", "stdio.h", "stdint.h", "tcp_device.cuh", "tcp_runtime.h", "tcp_harness.h"):
    (own / name).write_text("#error a file of the plan's folder\n")
if shutil.which("g++"):
    run("run", "--host", "--cxx", "g++", "own/plan.tcp", status=0)
if wrong:
    sys.exit("\n".join(wrong[:30]))
