"""usage: no_memory.py FAIL_MALLOC.so COMMAND..: runs a command again and again, with one allocation failing each time.

It has to end as it would, or with one line that says so.  isl itself ends by SIGSEGV when it gets no memory for a context: that is let pass.
"""

import os
import signal
import subprocess
import sys

n, unharmed = 0, 0
while unharmed < 8:
    env = dict(os.environ, LD_PRELOAD=sys.argv[1], FAIL_AT=str(n))
    r = subprocess.run(sys.argv[2:], env=env, capture_output=True, text=True)
    line = r.stderr.splitlines()[:1]
    told = r.returncode == 2 and (line == ["tcpc: error: out of memory"] or "Cannot allocate memory" in line[0])
    if r.returncode not in (0, -signal.SIGSEGV) and not told:
        sys.exit(f"allocation {n} fails: exit status {r.returncode}: {r.stderr}")
    unharmed = unharmed + 1 if r.returncode == 0 else 0
    n += 1 + n // 30
