# processes.py TCPC PLAN FOLDER LIBRARY FLAGS: many runs go at once, in processes; what is told is what one processor tells.
import os
import pathlib
import signal
import struct
import subprocess
import sys

tcpc, plan, folder, library, flags = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), *sys.argv[4:]


def run(processors, *more):
    """The harness on so many processors: its exit status and what it prints."""
    os.sched_setaffinity(0, everything[:processors])
    ran = subprocess.run([folder / "run", "--data", folder, *more], capture_output=True, text=True)
    os.sched_setaffinity(0, everything)
    return ran.returncode, ran.stdout


everything = sorted(os.sched_getaffinity(0))
subprocess.run([tcpc, "run", "--host", "--keep", folder, plan], check=True, stdout=subprocess.DEVNULL)
print("right:", run(1) == run(99) == (0, "k: ok (host, 4 runs)\n"))

# the runs want something else of two elements
with open(folder / "k.B.expect", "r+b") as expected:
    for element in (7, 200000):
        expected.seek(8 * element)
        expected.write(struct.pack("=q", element + 1))
one, all_of_them = run(1), run(99)
print(all_of_them[1], end="")
print("wrong:", one == all_of_them, one[0])
print("json:", run(1, "--json") == run(99, "--json"))

# each launch ends the process that makes it, unless that is the first one
text = (folder / "plan.cu").read_text()
head = "#include <csignal>\n#include <unistd.h>\nstatic const int first = getpid();\n"
(folder / "plan.cu").write_text(head + text.replace("tcp_stream stream) {", "tcp_stream stream) {\n    if (getpid() != first) raise(SIGUSR1);", 1))
runtime = pathlib.Path(__file__).resolve().parents[3] / "runtime"
subprocess.run(["c++", "-std=c++17", "-w", "-pthread", "-I", runtime, "-x", "c++", folder / "plan.cu", "-x", "none", folder / "main.cpp", library,
                *flags.split(), "-o", folder / "run"], check=True)
print("ended:", len(everything) == 1 or run(99)[0] == -signal.SIGUSR1)
