"""The tests that some runs leave out: tests/left_out/*.txt, and what they match.

usage: left_out.py regex LIST          prints a regular expression of the tests of ctest that LIST names
       left_out.py check BUILD LIST..  counts what each LIST leaves out of the tests of the folder BUILD; a line that names no test fails
"""

import fnmatch
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent


def entries(path):
    """The patterns of a list: (those of ctest, those of lit)."""
    lines = [line.strip() for line in pathlib.Path(path).read_text().splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    return ([line.removeprefix("ctest ") for line in lines if line.startswith("ctest ")],
            [line for line in lines if not line.startswith("ctest ")])


def regex(path):
    """A regular expression, as ctest reads them, for the tests of ctest; it matches nothing where there are none."""
    patterns = [re.escape(pattern).replace(r"\*", ".*") for pattern in entries(path)[0]]
    return "^(" + "|".join(patterns or ["$^"]) + ")$"


def among(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def check(build, paths):
    listed = subprocess.run(["ctest", "-N"], cwd=build, capture_output=True, text=True, check=True).stdout
    by_ctest = re.findall(r"^ *Test +#\d+: (\S+)", listed, re.M)
    by_lit = [str(path.relative_to(TESTS)) for ending in ("tcp", "test") for path in TESTS.rglob("*." + ending)
              if "Inputs" not in path.parts]
    failed = False
    for path in paths:
        counts = []
        for patterns, names in zip(entries(path), (by_ctest, by_lit)):
            counts.append(sum(among(name, patterns) for name in names))
            for pattern in patterns:
                if not among_any(pattern, names):
                    print(f"{path}: '{pattern}' matches no test")
                    failed = True
        print(f"{pathlib.Path(path).name}: {counts[0]} of {len(by_ctest)} tests of ctest and {counts[1]} lit tests are left out")
    return 1 if failed else 0


def among_any(pattern, names):
    return any(fnmatch.fnmatchcase(name, pattern) for name in names)


if __name__ == "__main__":
    if sys.argv[1:2] == ["regex"]:
        print(regex(sys.argv[2]))
    else:
        sys.exit(check(sys.argv[2], sys.argv[3:]))
