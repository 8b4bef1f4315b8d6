"""Whether views share a byte, against sets of addresses."""
import itertools
import random

from conftest import SEED

from tcpc import _apart


def places(modes, size, at=0):
    return [at + sum(s * c for (_, s), c in zip(modes, x)) + k for x in itertools.product(*(range(n) for n, _ in modes)) for k in range(size)]


def test_random_views():
    rng, seen = random.Random(SEED), set()
    for _ in range(1500):
        one, other = (tuple((rng.randint(1, 5), rng.randint(-20, 20)) for _ in range(rng.randint(0, 3))) for _ in "ab")
        sizes, distance = [rng.choice([1, 2, 4]) for _ in "ab"], rng.randint(-60, 60)
        mine, others = places(one, sizes[0]), places(other, sizes[1], distance)
        shared, twice = bool(set(mine) & set(others)), len(set(mine)) < len(mine)
        assert _apart.overlap(one, sizes[0], other, sizes[1], distance) == shared, (one, other, sizes, distance)
        assert _apart.overlaps_itself(one, sizes[0]) == twice, (one, sizes)
        seen.add((shared, twice))
    assert len(seen) == 4


def test_large_views_that_interleave_are_decided():
    """Columns of matrices with odd pitches, and lattices whose strides have a common divisor, by few steps."""
    n = 1 << 20
    for one, other, distance, shared in (
            ([(n, 1000), (500, 1)], [(n, 1000), (500, 1)], 500, False), ([(n, 1000), (501, 1)], [(n, 1000), (500, 1)], 500, True),
            ([(n, 6), (n, 6 * n)], [(n, 6), (n, 6 * n)], 3, False), ([(n, 6), (n, 10)], [(n, 14), (n, 22)], 1, False), ([(n, -8), (7, 1)], [(n, 8), (1, 1)], 7, False),
            ([(n, 0), (3, 2)], [(n, 0), (3, 2)], 1, False)):
        assert _apart.overlap(tuple(one), 1, tuple(other), 1, distance) is shared
    assert _apart.overlaps_itself(((n, 3), (n, 5)), 1) is True and _apart.overlaps_itself(((n, 3), (2, 1)), 1) is False
    assert _apart.overlaps_itself(((3, 7), (3, 10)), 1) is False  # neither steps over the other
