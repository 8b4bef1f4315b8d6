"""Each message that the package raises is expected by a test."""
import ast
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "python" / "tcpc"
# With the reason why no test can get it.
EXEMPT = {
    "the runtime's headers are not in the package": "of a package that lacks files",
    "libtcpc has no memory": "the library has none for its result",
    "the compiler gave no output": "it gives an error or an output",
    "NVRTC could not begin": "it has no memory",
}


RUN = 4


def words(text):
    """Of a message, or of a regular expression for one."""
    return re.findall(r"[\w.=]+", "".join(c for c in text if c not in "\\[]()"))


def runs(text):
    """Its runs of words, by which a message is recognized; of a short text all of it."""
    found = words(text)
    return {" ".join(found[i:i + RUN]) for i in range(max(1, len(found) - RUN + 1))}


def parts(node, values):
    """The texts of a message between its values."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return [part.value for part in node.values if isinstance(part, ast.Constant)]
    if isinstance(node, ast.BinOp):
        return parts(node.left, values) + parts(node.right, values)
    if isinstance(node, ast.IfExp):
        return parts(node.body, values) + parts(node.orelse, values)
    return parts(values[node.id], values) if isinstance(node, ast.Name) and node.id in values else []


def messages(text):
    """(line, texts) of each exception that is raised with a message."""
    tree = ast.parse(text)
    values = {target.id: node.value for node in tree.body if isinstance(node, ast.Assign) for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            found = [part.strip() for part in parts(node.exc.args[0], values) if len(part.strip()) > 2]
            if found:
                yield node.lineno, found


def without_test(text, tests):
    """(line, text) of the messages that no string of the tests has a run of."""
    for line, found in messages(text):
        longest = max(found, key=lambda part: len(words(part)))
        if longest not in EXEMPT and not runs(longest) & tests:
            yield line, longest


def expected(text):
    """The runs of all strings."""
    found = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {" ".join(w[i:i + n]) for w in map(words, found) for n in range(1, RUN + 1) for i in range(len(w) - n + 1)}


def test_each_message_is_expected():
    tests = set().union(*(expected(path.read_text()) for path in HERE.glob("*.py") if path != pathlib.Path(__file__).resolve()))
    missing = [f"{path.name}:{line}: {text}" for path in sorted(PACKAGE.glob("*.py")) for line, text in without_test(path.read_text(), tests)]
    assert not missing, "no test expects\n" + "\n".join(missing)


def test_the_check_fails():
    text = 'WORDS = "so much is wrong"\ndef f(x):\n  raise ValueError(f"{x} has no {x} in it, 3 (of 4)")\ndef g():\n  raise TypeError(WORDS)\n'
    assert [line for line, _ in without_test(text, set())] == [3, 5]
    assert [line for line, _ in without_test(text, expected('match = "so much is"'))] == [3, 5]
    assert list(without_test(text, expected("match = 'a has no b in it, 3 [(]of 4[)]', 'so much is wrong'"))) == []
