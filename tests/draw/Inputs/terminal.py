"""Runs a command whose output is a terminal of so many columns, and prints what came.

usage: terminal.py COLUMNS COMMAND...
"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

parent, child = pty.openpty()
fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
ran = subprocess.Popen(sys.argv[2:], stdout=child)
os.close(child)
while True:
    try:
        data = os.read(parent, 65536)
    except OSError:  # the other end is closed
        break
    if not data:
        break
    sys.stdout.write(data.decode().replace("\r\n", "\n"))
sys.exit(ran.wait())
