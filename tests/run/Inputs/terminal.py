# terminal.py TERM COMMAND..: runs COMMAND on a terminal of its own, and prints what it writes there, with escape sequences as text.
import os
import pty
import sys

os.environ["TERM"] = sys.argv[1]
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
written = b""
try:
    while data := os.read(terminal, 4096):
        written += data
except OSError:  # the other end is closed
    pass
print(written.decode().replace("\x1b", "!").replace("\r\n", "\n").replace("\r", "|"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
