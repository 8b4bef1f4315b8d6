"""usage: unread.py TMP COMMAND..: runs it where nobody reads what it says, and tells how it ended and what it left in TMP."""

import os
import subprocess
import sys

tmp = sys.argv[1]
read, write = os.pipe()
os.close(read)
r = subprocess.run(sys.argv[2:], stdout=write, stderr=write, env=dict(os.environ, TMPDIR=tmp))
print(r.returncode, os.listdir(tmp))
