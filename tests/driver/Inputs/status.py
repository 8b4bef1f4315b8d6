"""usage: status.py STATUS COMMAND...: fails unless COMMAND exits with STATUS; its output passes through."""

import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    print(f"exit status {status}, not {sys.argv[1]}")
    sys.exit(1)
