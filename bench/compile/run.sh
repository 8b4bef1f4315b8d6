#!/bin/sh
# What a compile costs: bench/compile/run.sh [-n RUNS] [NAME=TCPC ...], after ./dev build.
# For each plan here, and two of others, the processor time of the whole process, user and system, the least and the median of
# RUNS (20) runs in milliseconds, and of the same with --help in its place, which is what the process alone costs.  Several
# compilers, each given as NAME=PATH, take turns, so that the machine's load falls on all of them.  Where valgrind is, the last
# column is the share of the last compiler's instructions that its check of the Kernel IR takes.
set -e
cd "$(dirname "$0")/../.."
exec python3 - "$@" <<'PYTHON'
import glob, os, re, shutil, statistics, subprocess, sys, tempfile

words = sys.argv[1:]
runs = 20
if words[:1] == ["-n"]:
    runs, words = int(words[1]), words[2:]
compilers = [w.split("=", 1) for w in words] or [["tcpc", "build/bin/tcpc"]]
nowhere = os.open(os.devnull, os.O_WRONLY)


def cost(command):
    pid = os.fork()
    if pid == 0:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit("run.sh: failed: " + " ".join(command))
    return 1000 * (usage.ru_utime + usage.ru_stime)


def share(command):
    """Of the instructions of verify_kernels, in percent; None without valgrind."""
    if not shutil.which("valgrind"):
        return None
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", *command], check=True,
                       capture_output=True)
        shown = subprocess.run(["callgrind_annotate", "--inclusive=yes", out.name], check=True, capture_output=True, text=True)
    found = re.search(r"\( *([\d.]+)%\).*:verify_kernels", shown.stdout)
    return float(found[1]) if found else 0.0


plans = sorted(glob.glob("bench/compile/*.tcp"))
plans += ["bench/pipeline/colsum.tcp", "examples/attention_loads/attention_loads.tcp"]
print("| plan | " + " | ".join(f"{name}, least | median" for name, _ in compilers) + " | check |")
print("|---" * (2 + 2 * len(compilers)) + "|")
for plan in [None] + plans:
    times = [[] for _ in compilers]
    for _ in range(runs):
        for i, (_, path) in enumerate(compilers):
            command = [path, "-w", plan, "-o", os.devnull] if plan else [path, "--help"]
            times[i].append(cost(command))
    cells = " | ".join(f"{min(t):.1f} | {statistics.median(t):.1f}" for t in times)
    name = os.path.basename(plan)[:-4] if plan else "(--help)"
    part = share(command) if plan else None
    print(f"| {name} | {cells} | {'' if part is None else f'{part:.0f}%'} |", flush=True)
PYTHON
