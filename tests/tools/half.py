"""Half of the inputs of a slow test, another half in each run."""

import random


def drawn(paths, seed):
    """All 'paths' where 'seed' is None. Else half of them, drawn from that seed, or from a new one where it is "". Returns them and the seed."""
    if seed is None:
        return paths, None
    seed = int(seed or random.randrange(1, 10**6))
    return random.Random(seed).sample(paths, (len(paths) + 1) // 2), seed
