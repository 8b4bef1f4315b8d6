"""Finds what can be changed in a C file by rule: relations, constants, statements, least and greatest, && and ||, + and -.

A mutant is a Mutant: where it is, which rule made it, and the text of the whole file with the change in it.  Only the bodies
of functions are touched: tables and declarations outside of them are data.  What gives the same program whatever the input is,
which the text alone shows, is left out: same_at_the_boundary(), hashed(), room() and array_size() say what.
"""

import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+\.\d*(?:[eE][-+]?\d+)?[fF]?|\d+(?:[eE][-+]?\d+)|\d+[uUlL]*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.X | re.S)

# Each relation becomes the one that differs at the boundary, or its contrary.
RELATIONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
LOGICAL = {"&&": "||", "||": "&&"}
SUMS = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}
RULES = ("relation", "constant", "statement", "least", "logical", "sum")


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    at: int

    @property
    def end(self):
        return self.at + len(self.text)


@dataclass(frozen=True)
class Mutant:
    path: str  # from the root of the tree
    line: int
    rule: str
    begin: int  # the change: these characters of the file
    end: int
    new: str
    before: str  # the lines that it touches, in one
    after: str

    def key(self):
        """What stays the same when lines above it come and go."""
        return (self.path, self.before, self.after)

    def apply(self, text):
        """The lines below it keep their numbers, which internal checks have in their messages."""
        gone = text.count("\n", self.begin, self.end) - self.new.count("\n")
        return text[:self.begin] + self.new + "\n" * gone + text[self.end:]


def tokens_of(text):
    """The tokens of the functions' bodies, without space and preprocessor lines; each with its depth of braces."""
    directive = [(m.start(), m.end()) for m in re.finditer(r"^[ \t]*#(?:\\\n|[^\n])*", text, re.M)]
    found = []
    for m in TOKEN.finditer(text):
        if m.lastgroup == "space" or any(a <= m.start() < b for a, b in directive):
            continue
        found.append(Token(m.lastgroup, m.group(), m.start()))
    return found


def bodies(tokens):
    """The ranges [i, j) of tokens that are the bodies of functions: "{" behind ")" at the outermost level, and its "}"."""
    depth, begin = 0, None
    for i, t in enumerate(tokens):
        if t.text == "{":
            if depth == 0 and i > 0 and tokens[i - 1].text == ")":
                begin = i + 1
            depth += 1
        elif t.text == "}":
            depth -= 1
            if depth == 0 and begin is not None:
                yield begin, i
                begin = None


def is_binary(tokens, i):
    before = tokens[i - 1]
    if before.kind == "word":
        return before.text not in ("return", "case", "else", "do")
    return before.kind in ("number", "string") or before.text in (")", "]")


def operand(tokens, i, step, stop):
    """The text of tokens between "i" and one of "stop" in a direction, whole brackets counted in; (tokens, index of the end)."""
    depth, taken = 0, []
    opening, closing = ("([", ")]") if step > 0 else (")]", "([")
    while 0 <= i < len(tokens):
        t = tokens[i]
        if depth == 0 and (t.text in stop or t.text in closing):
            break
        depth += (t.text in opening) - (t.text in closing)
        taken.append(t)
        i += step
    return (taken if step > 0 else taken[::-1]), i


ENDS = {"?", ":", ";", ",", "{", "}", "=", "return", "&&", "||", "+=", "-="}


def least_or_greatest(tokens, i, text):
    """At a relation of "a < b ? a : b": the change that exchanges what stands behind "?", else None."""
    left, _ = operand(tokens, i - 1, -1, ENDS)
    right, question = operand(tokens, i + 1, 1, ENDS)
    if question >= len(tokens) or tokens[question].text != "?":
        return None
    yes, colon = operand(tokens, question + 1, 1, ENDS)
    if colon >= len(tokens) or tokens[colon].text != ":":
        return None
    no, _ = operand(tokens, colon + 1, 1, ENDS)
    spell = lambda ts: [t.text for t in ts]
    if not yes or not no or sorted([spell(left), spell(right)]) != sorted([spell(yes), spell(no)]):
        return None
    whole = lambda ts: text[ts[0].at:ts[-1].end]
    return yes[0].at, no[-1].end, f"{whole(no)} : {whole(yes)}"


def statements(tokens, begin, end):
    """The simple statements of a body that can be left out: assignments, calls, jumps; not declarations and not returns."""
    i = begin
    starts = {"{", "}", ";", ")", "else", "do", ":"}
    while i < end:
        t = tokens[i]
        if tokens[i - 1].text in starts and t.kind in ("word", "op") and t.text not in ("{", "}", ";", "(") and \
                (tokens[i - 1].text != ")" or control_head(tokens, i - 1)):
            j, depth, calls, assigns = i, 0, False, False
            while j < end and depth >= 0 and not (depth == 0 and tokens[j].text in (";", "{", "}", ":")):
                x = tokens[j].text
                calls |= x == "(" and depth == 0 and tokens[j - 1].kind == "word"
                assigns |= depth == 0 and (x in ("=", "++", "--") or (len(x) > 1 and x[-1] == "=" and x not in RELATIONS))
                depth += (x in "([") - (x in ")]")
                j += 1
            jump = t.text in ("continue", "break")
            second = tokens[i + 1]
            declares = t.kind == "word" and (second.kind == "word" or (second.text == "*" and tokens[i + 2].kind == "word" and
                                                                      tokens[i + 3].text in ("=", ";", ",", "[")))
            keyword = t.text in ("return", "case", "default", "if", "for", "while", "switch", "goto", "else", "do", "const",
                                 "static", "struct", "enum", "BUG", "va_list", "bool", "int")
            # below 0: the last part of the head of a for
            if j < end and depth == 0 and tokens[j].text == ";" and (jump or ((calls or assigns) and not declares and not keyword)):
                yield tokens[i], tokens[j]
                i = j
        i += 1


def control_head(tokens, close):
    """Whether the ")" at "close" ends the head of an if, for, while or switch."""
    depth = 0
    for i in range(close, -1, -1):
        depth += (tokens[i].text == ")") - (tokens[i].text == "(")
        if depth == 0:
            return i > 0 and tokens[i - 1].text in ("if", "for", "while", "switch")
    return False


def array_size(tokens, i):
    """Whether the number at "i" is how long a declared array is, of which more is never too much."""
    return tokens[i - 1].text == "[" and tokens[i + 1].text == "]" and tokens[i - 2].kind == "word" and \
        (tokens[i - 3].kind == "word" or tokens[i - 3].text in (",", "*")) and tokens[i + 2].text in (";", ",", "=")


SPELT = lambda tokens: [t.text for t in tokens]


def same_at_the_boundary(tokens, i):
    """Whether the relation at "i" is that of "a < b ? a : b" or of "if (a < b) b = a;": where both are equal, either gives the same
    number, so that "<=" is the same program.  Only of operands without calls and changes."""
    left, before = operand(tokens, i - 1, -1, ENDS | {"("})
    right, behind = operand(tokens, i + 1, 1, ENDS)
    if behind >= len(tokens) or any(t.text in ("(", "++", "--") for t in left + right):
        return False
    first, then = (), ()
    if tokens[behind].text == "?":
        first, colon = operand(tokens, behind + 1, 1, ENDS)
        then = operand(tokens, colon + 1, 1, ENDS)[0] if tokens[colon].text == ":" else ()
    elif tokens[behind].text == ")" and tokens[before].text == "(" and tokens[before - 1].text == "if":
        first, equal = operand(tokens, behind + 1, 1, ENDS)
        then, end = operand(tokens, equal + 1, 1, ENDS) if tokens[equal].text == "=" else ((), equal)
        then = then if tokens[end].text == ";" and tokens[end + 1].text != "else" else ()
    return bool(then) and sorted([SPELT(left), SPELT(right)]) == sorted([SPELT(first), SPELT(then)])


def hashed(tokens, i):
    """Whether "i" is in the right side of an assignment to a number "h" or "hash", which says where a search in a table begins: each of
    these tables compares what it finds wholly, so that another number finds the same."""
    depth = 0
    while i > 0 and tokens[i].text not in (";", "{", "}"):
        depth += (tokens[i].text in ")]") - (tokens[i].text in "([")
        if depth <= 0 and tokens[i].text in ("=", "+=") and tokens[i - 1].text in ("h", "hash"):
            return tokens[i - 2].text in (";", "{", ")") or tokens[i - 2].text.endswith(("unsigned", "_t"))
        i -= 1
    return False


def room(tokens, i):
    """Whether the number at "i" is added or multiplied in how many elements ARENA_ARRAY makes, of which more is never too much."""
    j, depth = i, 0
    while j > 0 and depth >= 0 and tokens[j].text not in (";", "{", "}"):
        j -= 1
        depth += (tokens[j].text in ")]") - (tokens[j].text in "([")
    if tokens[j].text != "(" or tokens[j - 1].text != "ARENA_ARRAY":
        return False
    inside, _ = operand(tokens, j + 1, 1, {";"})
    commas = [k for k, t in enumerate(inside) if t.text == ","]
    size = inside[commas[1] + 1:] if len(commas) == 2 else []
    return tokens[i] in size and all(t.kind in ("word", "number") or t.text in ("+", "*", ".", "->", "(", ")") for t in size)


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def mutants_of(path, text):
    """All mutants of a file, in order."""
    found = []
    tokens = tokens_of(text)

    def add(rule, begin, end, new):
        first = text.rfind("\n", 0, begin) + 1
        last = text.find("\n", end)
        last = len(text) if last < 0 else last
        found.append(Mutant(path, text.count("\n", 0, begin) + 1, rule, begin, end, new, one_line(text[first:last]),
                            one_line(text[first:begin] + new + text[end:last])))

    for begin, stop in bodies(tokens):
        for i in range(begin, stop):
            t = tokens[i]
            if t.text in RELATIONS and is_binary(tokens, i):
                equal = same_at_the_boundary(tokens, i)
                for new in RELATIONS[t.text][equal:]:
                    add("relation", t.at, t.end, new)
                exchange = least_or_greatest(tokens, i, text)
                if exchange:
                    add("least", *exchange)
            elif (t.kind == "number" or t.text in SUMS) and hashed(tokens, i):
                continue
            elif t.kind == "number" and re.fullmatch(r"\d+", t.text) and not array_size(tokens, i):
                n = int(t.text)
                if not room(tokens, i):
                    add("constant", t.at, t.end, str(n + 1))
                if n > 0:
                    add("constant", t.at, t.end, str(n - 1))
            elif t.text in LOGICAL:
                add("logical", t.at, t.end, LOGICAL[t.text])
            elif t.text in SUMS and is_binary(tokens, i):
                add("sum", t.at, t.end, SUMS[t.text])
        for first, semicolon in statements(tokens, begin, stop):
            add("statement", first.at, semicolon.end, ";")
    return sorted(found, key=lambda m: (m.begin, m.end, m.new))
