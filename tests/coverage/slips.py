"""Fails when a row of a table of slips (compiler/syntax/slips.h), or a part of its pattern, is reported by no test.

usage: slips.py SLIPS

SLIPS parses what the tests do and prints `TABLE NUMBER PART` of each row that was reported.  messages.py asks whether a test looks at its text.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import inputs

sys.path.append(str(inputs.TESTS / "tools"))
import told  # noqa: E402


def cases(folder):
    """The files of the cases that told.py reads, of the parts that split-file makes, and of what printf and echo write."""
    texts = []
    for test in inputs.lit_tests():
        texts += [text for _, text in told.cases(test.text)]
        texts += re.split(r"^(?:// ?|# ?)?---.*$", test.text, flags=re.M)
        texts += [text.replace("\\n", "\n") for text in re.findall(r"(?:printf|echo) '([^']*)'", test.text)]
    for number, text in enumerate(texts):
        path = pathlib.Path(folder, f"{number}.tcp")
        path.write_text(text, errors="replace")
        yield str(path)


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        arguments = [*map(str, inputs.plans()), *cases(folder)]
        for test in inputs.lit_tests():
            for expression in test.expressions():
                arguments += ["-e", expression]
        ran = subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace", check=True)
    reported = {tuple(line.split()) for line in ran.stdout.splitlines()}
    total = missing = 0
    for table, number, path, line, text, parts in inputs.slip_rows():
        for part in range(parts):
            total += 1
            if (table, str(number), str(part)) not in reported:
                print(f"{path}:{line}: no test reports '{text}' by part {part} of its pattern")
                missing += 1
    print(f"{total} patterns, {missing} tests missing")
    return 1 if missing or not total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
