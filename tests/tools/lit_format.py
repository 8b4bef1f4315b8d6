"""The test format of lit.cfg.py. A module of its own: lit sends it to its processes."""

import os

import lit.formats
from left_out import among, entries


class Tests(lit.formats.ShTest):
    """Shell tests, without those that the list of tests/left_out names where LIST is not empty."""

    def __init__(self, tests, left_out):
        super().__init__(execute_external=False)
        self.patterns = entries(os.path.join(tests, "left_out", left_out + ".txt"))[1] if left_out else []

    def getTestsInDirectory(self, suite, path_in_suite, litConfig, localConfig):
        for test in super().getTestsInDirectory(suite, path_in_suite, litConfig, localConfig):
            if not among("/".join(test.path_in_suite), self.patterns):
                yield test
