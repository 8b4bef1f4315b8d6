"""The plans of tests that do not run under the sanitizers are compiled under them, which costs little.

usage: compile_left_out.py TCPC LIST [--one-of=N[:SEED]]

LIST is one of tests/left_out.  A plan may be wrong, but nothing else may happen than what docs/man tells.
"""

import pathlib
import subprocess
import sys

from left_out import TESTS, among, entries
from sampled import drawn

one_of = next((word[9:] for word in sys.argv[3:] if word.startswith("--one-of=")), None)
tcpc, patterns = sys.argv[1], entries(sys.argv[2])[1]
plans, part = drawn(sorted(p for p in TESTS.rglob("*.tcp") if among(str(p.relative_to(TESTS)), patterns)), one_of)
failed = 0
for plan in plans:
    words = [tcpc, "-w", plan, "-o", "/dev/null"]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace")
    if done.returncode not in (0, 1) or "runtime error:" in done.stderr or "Sanitizer" in done.stderr:
        print(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stderr[-3000:]}")
        failed += 1
print(f"{len(plans)} plans{part}, {failed} failed")
sys.exit(1 if failed or not plans else 0)
