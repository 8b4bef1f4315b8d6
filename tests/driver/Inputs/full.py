"""usage: full.py COMMAND...: runs it with a full disk as its standard output; fails unless it exits with 2.

lit itself must not open /dev/full: it reads the files that a failed command wrote, and this one has no end.
"""

import subprocess
import sys

with open("/dev/full", "w") as full:
    sys.exit(subprocess.run(sys.argv[1:], stdout=full).returncode != 2)
