"""usage: folder_in.py FOLDER COMMAND...: runs COMMAND with the folder as its standard input; exits with its status."""

import os
import subprocess
import sys

sys.exit(subprocess.run(sys.argv[2:], stdin=os.open(sys.argv[1], os.O_RDONLY)).returncode)
