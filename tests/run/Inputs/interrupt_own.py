"""Ends `tcpc run` by a signal while it works itself, on many elements: what it computes after the signal, and what is left.

usage: interrupt_own.py TCPC CXX FOLDER
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

tcpc, cxx, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
N = 1 << 24
COPY = f"""tcp 1;
tensor a : f64 global ({N}) align 16;
tensor b : f64 global ({N}) align 16;
tiled_copy tc = tile(universal(128), thr=(128), val=(2));
kernel only(a, out b) grid ({N // 256}) threads 128 {{
  copy local_tile(a, 256, block.x) -> local_tile(b, 256, block.x) with tc;
}}
"""
WHOLE = f"""tcp 1;
tensor a : u8 global ({N});
tensor b : u8 global ({N});
kernel only(a, out b) grid (1) threads 128 {{
  copy a -> b with tile(universal(8), thr=(128), val=(1));
}}
"""
TICK = os.sysconf("SC_CLK_TCK")


def computed(process):
    """Seconds of processor time so far."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def has_ended(process):
    return pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


KEEP, WRITE = ["--keep", "kept"], ["--write", "kept"]
RUNS = ((0.1, COPY, KEEP), (0.25, COPY, []), (0.4, COPY, WRITE), (0.55, COPY, KEEP), (0.7, COPY, WRITE), (0.85, COPY, []), (0.2, WHOLE, []))
signal.signal(signal.SIGINT, signal.SIG_DFL)  # which a child inherits
wrong, ended_early = [], 0
for after, plan, options in RUNS:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tmp").mkdir(parents=True)
    (folder / "plan.tcp").write_text(plan)
    if after > 0.5 and options:  # a folder that is there stays, and what is in it
        (folder / "kept").mkdir()
        (folder / "kept" / "mine").write_text("mine")
    before = sorted(map(str, folder.rglob("*")))
    process = subprocess.Popen([tcpc, "run", "--host", "--cxx", cxx, "plan.tcp", *options], cwd=folder,
                               env=dict(os.environ, TMPDIR=str(folder / "tmp")), stderr=subprocess.DEVNULL)
    while not has_ended(process) and computed(process) < after and not list(folder.glob("tmp/*/of-the-compiler.s")):
        time.sleep(0.01)
    at, late = computed(process), has_ended(process)
    os.kill(process.pid, signal.SIGINT)  # it is there until it is waited for
    _, status, usage = os.wait4(process.pid, 0)
    more = usage.ru_utime + usage.ru_stime - at
    if late or status == 0 and more < 0.2:  # the signal came as it ended, after the last of its work
        ended_early += 1
        continue
    what, left = f"after {after} s {options}", sorted(map(str, folder.rglob("*")))
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGINT:
        wrong.append(f"{what}: status {status}")
    if more > 1:
        wrong.append(f"{what}: computed for {more:.2f} s more")
    if left != before:
        wrong.append(f"{what}: left {set(left) ^ set(before)}")
if ended_early > len(RUNS) // 2:
    wrong.append(f"{ended_early} runs were at their end before the signal came")
print("\n".join(wrong) or "each ended by the signal")
