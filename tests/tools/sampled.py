"""A part of the inputs of a slow test, another part for each commit."""

import random

from seeds import new_seed


def drawn(paths, of):
    """One of N of 'paths', where 'of' is "N", drawn from a new seed, or "N:SEED"; all where it is None. Returns them, and words that tell it."""
    if of is None:
        return paths, ""
    n, _, seed = of.partition(":")
    seed = int(seed or new_seed())
    return random.Random(seed).sample(paths, -(-len(paths) // int(n))), f" (--one-of={n}:{seed})"
