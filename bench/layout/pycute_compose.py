"""The compositions of bench_layout with pycute, beside it.

usage: pycute_compose.py PAIRS [SECONDS]

PAIRS is the file that bench_layout writes; each result is compared with the one that stands there.
"""

import sys
import time

import pycute


def layout(text):
    shape, stride = text.strip().split(":")
    return pycute.Layout(eval(shape), eval(stride))


def main():
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    pairs = []
    for line in open(sys.argv[1]):
        a, b, r = (layout(part) for part in line.split("|"))
        if any(pycute.composition(a, b)(i) != r(i) for i in range(pycute.size(b))):
            sys.exit(f"pycute gives another function for {line.strip()}")
        pairs.append((a, b))
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        for a, b in pairs:
            pycute.composition(a, b)
        count += len(pairs)
    spent = time.perf_counter() - start
    print(f"pycute  {count / spent:10.0f} compositions/s  ({count} in {spent:.2f} s)")


main()
