"""Ends `tcpc run` by a signal while its compiler works, and looks at what is left.

usage: interrupt.py TCPC CXX PLAN FOLDER
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

tcpc, cxx, plan, folder = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(exist_ok=True)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_DFL)
    run = subprocess.Popen([tcpc, "run", "--host", "--cxx", cxx, plan], env=dict(os.environ, TMPDIR=str(folder)),
                           stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while not list(folder.glob("*/of-the-compiler.s")) and time.monotonic() < until:
        time.sleep(0.02)
    run.send_signal(number)
    status = run.wait(timeout=30)
    left = [str(path) for path in folder.rglob("*")]
    print(f"{number.name}: status {status}, left {left}")
