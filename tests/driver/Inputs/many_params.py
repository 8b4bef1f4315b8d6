"""usage: many_params.py TCPC: runs it with more params than it takes; fails unless it exits with 2."""

import subprocess
import sys

words = [word for i in range(300) for word in ("--param", f"M{i}=1")]
sys.exit(subprocess.run([sys.argv[1], "run", *words, "a.tcp"]).returncode != 2)
