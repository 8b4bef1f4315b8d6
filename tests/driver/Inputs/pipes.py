#!/usr/bin/env python3
"""usage: pipes.py TCPC PLAN FOLDER: named pipes, with and without a process at the other end, wherever a file may be named.
Prints what each command says and its exit status; one that does not end within 20 s is told."""
import os
import pathlib
import subprocess
import sys
import threading

tcpc, plan, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def run(name, *words):
    try:
        made = subprocess.run([tcpc, *words], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20)
        print(f"{name}: {made.returncode}: {made.stderr.strip() or len(made.stdout) > 0}")
    except subprocess.TimeoutExpired:
        print(f"{name}: does not end")


def main():
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    (folder / "import.tcp").write_text('tcp 1;\nimport "pipe";\n')
    (folder / "extern.tcp").write_text('tcp 1;\nextern device f(i : index) from "pipe";\n')
    text = plan.read_text()
    run("output", str(plan), "-o", "pipe")
    run("dependencies", str(plan), "-o", "x.cu", "-MD", "-MF", "pipe")
    run("draw", "draw", str(plan), "tc", "--format=svg", "-o", "pipe")
    run("explain", "explain", str(plan), "-o", "pipe")
    run("plan", "pipe", "-o", "-")
    run("words", "@pipe")
    run("import", "import.tcp", "-o", "-")
    run("extern", "extern.tcp", "-o", "-")
    run("fmt", "fmt", "pipe")
    run("in place", "fmt", "-i", "pipe")
    os.mkdir(folder / "kept")
    os.mkfifo(folder / "kept/made-by-tcpc")
    run("kept", "run", str(plan), "--keep=kept")

    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    run("read", str(plan), "-o", "pipe")
    print("all is there" if b"round_trip_launch" in os.read(reader, 1 << 16) else "nothing came")
    os.close(reader)

    def write():
        with open(pipe, "w") as stream:
            stream.write(text)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    run("written", "pipe", "-o", "-")
    writer.join(timeout=20)
    made = subprocess.run(["bash", "-c", f"{tcpc} --no-line {plan} -o /dev/stdout | grep -c round_trip_launch; {tcpc} --no-line {plan} -o /dev/null; "
                           f"{tcpc} --no-line {plan} -o >(grep -c round_trip_launch); wait $!; {tcpc} --no-line <(cat {plan}) -o - | grep -c round_trip_launch"],
                          cwd=folder, capture_output=True, text=True, timeout=20)
    print("shell:", *made.stdout.split(), made.stderr)


if __name__ == "__main__":
    main()
