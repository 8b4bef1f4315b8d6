"""Fails when a diagnostic of the compiler has no test that fires it, or none that comes by without firing it.

usage: messages.py BUILD

exempt.txt beside this file lists what no test can bring about: `FILE: START OF THE TEXT` a line, under a comment that says why; a line that fits nothing any
more fails too.  BUILD is a build with coverage counters (TCPC_COVERAGE) in which all tests ran.  A call of FUNCTIONS was fired when
its lines were executed; something came by without firing it when the function it stands in was entered more often than that.  (A
function that never returns but with a diagnostic is only a helper: those who call it decide.)  The text must moreover be
one that a CHECK line, a unit test or an example of the documents asks for: its longest piece between conversions, or sixteen
characters of it in a row.
"""

import json
import pathlib
import re
import subprocess
import sys

import inputs

ROOT = inputs.ROOT
# What takes a message, and the place of its format among the arguments.
FUNCTIONS = {"diag_error": 2, "diag_warn": 3, "FAIL": 2, "lay_fail": 1, "option_error": 0}
CALL = re.compile(rf"(?<!define )\b({'|'.join(FUNCTIONS)})\s*\(")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
CONVERSION = re.compile(r"%(?:[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|j|z|t)?[a-zA-Z]|%)|%\"\s*PRI\w+")
CONDITION = re.compile(rf"(\bif\b|\?).*\b({'|'.join(FUNCTIONS)})\s*\(")
ENOUGH = 16


def call_end(text, at):
    """The offset behind the parenthesis that closes the one at 'at', strings and comments skipped."""
    depth = 0
    for match in re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|//[^\n]*|/\*.*?\*/|[()]', re.S).finditer(text, at):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return len(text)


def arguments(text):
    """The arguments of a call, 'text' being what stands between its parentheses."""
    parts, depth, start = [], 0, 0
    for match in re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[(){}\[\],]').finditer(text):
        token = match[0]
        if token in ("(", "{", "["):
            depth += 1
        elif token in (")", "}", "]"):
            depth -= 1
        elif token == "," and depth == 0:
            parts.append(text[start:match.start()])
            start = match.end()
    return parts + [text[start:]]


def literals(argument):
    """The string literals that 'argument', a format, may be: several with `?:`, one else."""
    texts = []
    for part in re.split(r"[?:](?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", argument):
        pieces = STRING.findall(part)
        if pieces:
            texts.append("".join(pieces).encode().decode("unicode_escape"))
    return texts


def diagnostics():
    """Yields (file, first line, last line, texts) of each call of a diagnostic function in the compiler."""
    for path in sorted([*(ROOT / "compiler").rglob("*.c"), *(ROOT / "grammar").glob("*")]):
        text = path.read_text()
        for match in CALL.finditer(text):
            line_begin = text.rfind("\n", 0, match.start()) + 1
            if re.match(r"(static |extern )?(void|bool|int)\b|#define", text[line_begin:]):
                continue  # the function itself
            end = call_end(text, match.end() - 1)
            parts = arguments(text[match.end():end - 1])
            place = FUNCTIONS[match[1]]
            texts = literals(parts[place]) if len(parts) > place else []
            yield path, text.count("\n", 0, match.start()) + 1, text.count("\n", 0, end) + 1, texts


def counters(build):
    """{source: (lines, functions)} from the counters in 'build'.

    'lines' is {line: (count, whether one of its conditions went both ways)}, 'functions' {(first line, last line): count}.
    """
    found = {}
    data = sorted(pathlib.Path(build, "compiler").rglob("*.gcda"))
    for at in range(0, len(data), 40):
        out = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", *map(str, data[at:at + 40])], capture_output=True, text=True,
                             cwd=build, check=True).stdout
        for line in out.splitlines():
            for record in json.loads(line)["files"] if line.startswith("{") else []:
                path = (pathlib.Path(build) / record["file"]).resolve()
                if ROOT not in path.parents:
                    continue
                lines, functions = found.setdefault(path, ({}, {}))
                for entry in record["lines"]:
                    ways = [branch["count"] for branch in entry["branches"]]
                    both = any(one and other for one, other in zip(ways[::2], ways[1::2]))
                    lines[entry["line_number"]] = (entry["count"], both)
                for function in record["functions"]:
                    key = (function["start_line"], function["end_line"])
                    functions[key] = functions.get(key, 0) + function["execution_count"]
    return found


def wanted_texts():
    """All that tests ask messages to be, one text a line."""
    texts = []
    for test in inputs.lit_tests():
        texts += [re.sub(r"\{\{.*?\}\}|\[\[.*?\]\]", "\0", check) for check in test.checks]
    for path in sorted(path for folder in ("unit", "lib") for path in (inputs.TESTS / folder).rglob("*.c")):
        texts += ["".join(STRING.findall(run)) for run in
                  re.findall(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*', path.read_text())]
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        texts += re.findall(r"^```tcp (?:error|warning): (.*)$|^= error: (.*)$", path.read_text(), re.M) if path.exists() else []
    return "\n".join(text if isinstance(text, str) else "".join(text) for text in texts)


def asked_for(text, wanted):
    """Whether the message 'text' is one that 'wanted' asks for."""
    pieces = [piece for piece in CONVERSION.split(text) if piece.strip()]
    if not pieces:
        return True  # a message that is made elsewhere
    longest = max(pieces, key=len).strip()
    if longest in wanted:
        return True
    return any(longest[at:at + ENOUGH] in wanted for at in range(len(longest) - ENOUGH + 1))


def exemptions():
    """[file, start of the text] of each line of exempt.txt."""
    lines = (pathlib.Path(__file__).parent / "exempt.txt").read_text().splitlines()
    return [line.split(": ", 1) for line in lines if line.strip() and not line.startswith("#")]


def main(build):
    counted = counters(pathlib.Path(build).resolve())
    wanted = wanted_texts()
    missing = total = 0
    exempt, used = exemptions(), set()
    for path, first, last, texts in diagnostics():
        total += 1
        fits = [number for number, (name, start) in enumerate(exempt)
                if str(path).endswith(name) and any(text.startswith(start) for text in texts)]
        if fits:
            used.update(fits)
            continue
        where = f"{path.relative_to(ROOT)}:{first}"
        shown = texts[0] if texts else "(a message made elsewhere)"
        lines, functions = counted.get(path, ({}, {}))
        source = path.read_text().splitlines()
        checked = bool(texts) and all(asked_for(text, wanted) for text in texts)
        fired, comes_by = judge(source, lines, functions, first, last, checked)
        problem = None
        if not fired:
            problem = "no test fires"
        elif not comes_by:
            problem = "no test comes by without firing"
        elif texts and not checked:
            problem = "no test looks at the text of"
        if problem:
            print(f"{where}: {problem} '{shown}'" + " (this file has no counters: configure the build anew)" * (path not in counted))
            missing += 1
    for _table, _number, path, line, text, _parts in inputs.slip_rows():
        total += 1
        for part in text.split("|"):
            if not asked_for(re.sub(r"\$\w\d|\$\W?\d|\$[#~]", "%s", part.replace("%", "%%")), wanted):
                print(f"{path}:{line}: no test looks at the text of '{part}'")
                missing += 1
    for number, (name, start) in enumerate(exempt):
        if number not in used:
            print(f"exempt.txt: no diagnostic of {name} starts with '{start}'")
            missing += 1
    print(f"{total} diagnostics, {len(used)} exempt, {missing} tests missing")
    return 1 if missing else 0


def judge(source, lines, functions, first, last, checked):
    """Whether the call on lines 'first' to 'last' of 'source' was fired, and whether something came by without firing it.

    'checked' says whether a test looks at its text, which tells more where the condition stands on the same line.
    """
    ran = [lines[number] for number in range(first, last + 1) if number in lines]
    fired = max((count for count, _both in ran), default=0)
    around = next(((span, count) for span, count in functions.items() if span[0] <= first <= span[1]), None)
    if fired == 0 or not around:
        return fired > 0, True
    if CONDITION.search(STRING.sub('""', source[first - 1])):
        return checked or any(both for _count, both in ran), True
    (begin, end), entered = around
    if entered != fired:
        return True, True
    # A helper has no way out that was not taken.
    returns = [number for number in range(begin, end + 1) if number in lines and re.search(r"\breturn\b", source[number - 1])]
    return True, all(lines[number][0] > 0 or CALL.search(source[number - 1]) for number in returns)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
