"""What the tests feed to the compiler: shared by the scripts that ask whether everything has a test."""

import pathlib
import re
import shlex

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"


class Test:
    """A lit test: its 'path', 'text', RUN lines ('runs') and CHECK lines ('checks'); 'fails' says whether tcpc is to refuse it."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(errors="replace")
        self.runs = re.findall(r"RUN: *(.*)", self.text)
        prefixes = {"CHECK"}
        for names in re.findall(r"--?check-prefix(?:es)?[= ](\S+)", self.text):
            prefixes.update(names.split(","))
        self.checks = re.findall(rf"^.*?\b(?:{'|'.join(sorted(prefixes))})(?:-NEXT|-SAME|-DAG)?: *(.*)$", self.text, re.M)
        self.fails = any("%not" in run for run in self.runs)

    def expressions(self):
        """The texts that `-D NAME=TEXT` and `tcpc eval TEXT` get in the RUN lines."""
        for run in self.runs:
            try:
                words = shlex.split(run, posix=True)
            except ValueError:
                continue
            for at, word in enumerate(words[:-1]):
                if word == "-D" and "=" in words[at + 1]:
                    yield words[at + 1].partition("=")[2]
                if word == "eval" and not words[at + 1].startswith("-"):
                    yield words[at + 1]


def lit_tests():
    """All lit tests, in a fixed order."""
    skip = {"unit", "golden", "tools", "coverage", "Inputs", "fuzz"}
    for path in sorted(TESTS.rglob("*")):
        parts = path.relative_to(TESTS).parts
        if path.suffix in (".tcp", ".test") and not skip & set(parts[:-1]):
            test = Test(path)
            if test.runs:
                yield test


def plans():
    """All plan files of tests and examples."""
    return sorted(TESTS.rglob("*.tcp")) + sorted((ROOT / "examples").rglob("*.tcp"))


def without_comments(text):
    """'text' without its // and /* */ comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


STRING = r'"(?:[^"\\]|\\.)*"'
NAMED = re.compile(rf"(?:#define +(\w+) +|(\w+)\[\] =\s*)((?:{STRING}\s*)+)")
TABLE = re.compile(r"^const struct slip_row slip_at_(\w+)\[\] = \{\n(.*?)^\};", re.M | re.S)


def slip_rows():
    """Yields (table, number, path, line, message, parts of the pattern) of each row of slips (compiler/syntax/slips.h) that reports something.

    A row begins with `    {` and goes on in lines that are further in; the message is its fourth part.
    """
    for path in sorted((ROOT / "compiler/syntax").glob("slips_*.c")):
        text = path.read_text()
        named = {define or array: strings for define, array, strings in NAMED.findall(text)}
        for table in TABLE.finditer(text):
            for number, row in enumerate(re.finditer(r"^    \{(?!0\}).*\n(?:     .*\n)*", table[2], re.M)):
                parts = re.findall(rf"((?:{STRING}|[^\",])+)(?:,|$)", row[0])
                message = re.sub(rf"{STRING}|\w+", lambda word: named.get(word[0], word[0]), parts[3]) if len(parts) > 3 else ""
                message = "".join(piece[1:-1] for piece in re.findall(STRING, message)).replace('\\"', '"')
                if message:
                    line = text.count("\n", 0, table.start(2) + row.start()) + 1
                    yield table[1], number, path.relative_to(ROOT), line, message, parts[2].count(" OR ") + 1
