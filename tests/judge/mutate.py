"""Spoils the text of a plan, or only changes it: the judge says which."""
import re

NUMBER = re.compile(r"(?<![\w.<])\d+(?![\w.])")
KEEP = re.compile(r"^(tcp|expect) ")


def change_number(r, lines):
    places = [(i, m) for i, line in enumerate(lines) if not KEEP.match(line) for m in NUMBER.finditer(line)]
    if not places:
        return
    i, m = r.choice(places)
    n = int(m.group())
    new = r.choice([n + 1, max(n - 1, 0), 2 * n, n // 2, 0, 1, n + 2, 3 * n])
    lines[i] = lines[i][:m.start()] + str(new) + lines[i][m.end():]


def swap_word(r, lines):
    """Puts another word in place of one, at one place."""
    pairs = [("block.x", "block.y"), ("block.y", "block.x"), ("row(", "("), ("out ", "inout "), ("warp", "0"),
             (" stages 2", " stages 3"), (" stages 3", ""), ("(1,0)", "(0,1)"), ("*", "+"), ("+", "*"), ("/", "%"), ("%", "/"),
             ("block.x", "0"), ("block.y", "0"), ("block.x", "block.x + 1"), (">=", "<=")]
    places = []
    for i, line in enumerate(lines):
        for a, b in pairs:
            at = line.find(a)
            while at >= 0 and not KEEP.match(line):
                places.append((i, at, a, b))
                at = line.find(a, at + 1)
    if places:
        i, at, a, b = r.choice(places)
        lines[i] = lines[i][:at] + b + lines[i][at + len(a):]


def round_down(r, lines):
    places = [i for i, line in enumerate(lines) if "ceil_div" in line]
    if places:
        i = r.choice(places)
        lines[i] = re.sub(r"ceil_div\((\w+),(\d+)\)", r"(\1)/\2", lines[i], count=1)


def drop_pad(r, lines):
    places = [i for i, line in enumerate(lines) if " pad " in line]
    if places:
        i = r.choice(places)
        lines[i] = re.sub(r" pad [^;]*;", ";", lines[i], count=1)


def drop_promise(r, lines):
    places = [i for i, line in enumerate(lines) if line.startswith("param")]
    if places:
        i = r.choice(places)
        lines[i] = re.sub(r.choice([r" % \d+", r" where .*(?=;)", r" in .* \.\. \d+"]), "", lines[i])


def statements(lines):
    return [i for i, line in enumerate(lines) if re.match(r"\s+(copy|fill)\b", line) and line.rstrip().endswith(";")]


def drop_statement(r, lines):
    places = statements(lines)
    if len(places) > 1:
        del lines[r.choice(places)]


def repeat_statement(r, lines):
    places = statements(lines)
    if places:
        i = r.choice(places)
        lines.insert(i, lines[i])


def move_statement(r, lines):
    places = statements(lines)
    if len(places) > 1:
        line = lines.pop(r.choice(places))
        lines.insert(r.choice(statements(lines)), line)


WAYS = [change_number] * 6 + [swap_word] * 4 + [round_down, drop_pad, drop_promise, drop_statement, repeat_statement, move_statement]


def mutate(r, text):
    """Returns "text" with one change, now and then two."""
    lines = text.splitlines()
    for _ in range(r.choice([1, 1, 1, 2])):
        r.choice(WAYS)(r, lines)
    return "\n".join(lines) + "\n"
