"""The seed of what a test draws.

`./dev test` sets TCPC_SEED from the commit: a commit has the same draws each time, so that a failure comes again, and the next one
has others.  Without it each run draws anew.
"""

import os
import random


def new_seed():
    """TCPC_SEED, a number below 2^31, or another one each time."""
    return int(os.environ.get("TCPC_SEED") or random.randrange(1, 1 << 31))
