"""The test format of lit.cfg.py. A module of its own: lit sends it to its processes."""

import os

import lit.formats
from left_out import among, entries


class Tests(lit.formats.ShTest):
    """Shell tests: with a list of tests/left_out, those that it does not name, or with "+" before the list those that it names, and those
    with lines that the sanitized build skips (%released and %timed in lit.cfg.py)."""

    def __init__(self, tests, chosen):
        super().__init__(execute_external=False)
        self.named = chosen.startswith("+")
        self.patterns = entries(os.path.join(tests, "left_out", chosen.lstrip("+") + ".txt"))[1] if chosen else []

    def getTestsInDirectory(self, suite, path_in_suite, litConfig, localConfig):
        for test in super().getTestsInDirectory(suite, path_in_suite, litConfig, localConfig):
            if among("/".join(test.path_in_suite), self.patterns) == self.named or self.named and skips_lines(test.getSourcePath()):
                yield test


def skips_lines(path):
    """Whether a test has RUN lines that do nothing in the sanitized build."""
    with open(path, "rb") as test:
        return any(b"RUN:" in line and (b"%released" in line or b"%timed" in line) for line in test)
