"""Reads the text of a .tcp plan into plain tuples.

Written from docs/language.md alone, and separate from the judge so that meaning never leaks into spelling.  An expression is
a tuple whose first item says what it is:

    ("int", n) ("float", x) ("name", s) ("wild",) ("tuple", args) ("call", f, args) ("member", e, name)
    ("bin", op, a, b) ("neg", a) ("layout", shape, stride) ("tiler", items) ("swizzle", b, m, s) ("map", left, right)
    ("range", low, high)

where args is a list of (keyword or None, expression).  Declarations and statements are dictionaries with a "kind".
"""
import re

TOKEN = re.compile(r"""\s+|//[^\n]*|/\*.*?\*/|
    (?P<float>\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)|(?P<int>0[xX][0-9a-fA-F]+|\d+)|
    (?P<string>"(?:[^"\\]|\\.)*")|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|
    (?P<sign>->|\.\.|==|!=|<=|>=|[-+*/%:;,.@=<>(){}])""", re.X | re.S)
RELATIONS = ("==", "!=", "<=", ">=", "<", ">")
KINDS = ("kernel", "device", "manual", "async", "extern")


class ParseError(Exception):
    """The text is no plan that this reader knows."""


def tokens(text):
    """Returns the list of (kind, text) of "text"; ends with ("end", "")."""
    out, at = [], 0
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise ParseError(f"stray {text[at]!r}")
        if m.lastgroup:
            out.append((m.lastgroup, m.group()))
        at = m.end()
    return out + [("end", "")]


class Parser:
    """A recursive descent over the tokens of one plan."""

    def __init__(self, text):
        self.toks, self.at = tokens(text), 0

    # -- tokens --------------------------------------------------------------------------------------------------------------

    def peek(self, *what):
        kind, text = self.toks[self.at]
        return kind != "string" and text in what

    def take(self, *what):
        if not self.peek(*what):
            return None
        self.at += 1
        return self.toks[self.at - 1][1]

    def need(self, *what):
        got = self.take(*what)
        if got is None:
            raise ParseError(f"{self.toks[self.at][1]!r} where {' or '.join(what)} is expected")
        return got

    def kind(self, kind):
        got, text = self.toks[self.at]
        if got != kind:
            raise ParseError(f"{text!r} where a {kind} is expected")
        self.at += 1
        return text

    def name(self):
        return self.kind("word")

    def number(self):
        return int(self.kind("int"), 0)

    # -- expressions ---------------------------------------------------------------------------------------------------------

    def expr(self):
        a = self.comp()
        if self.peek(*RELATIONS):
            op = self.need(*RELATIONS)
            return ("bin", op, a, self.comp())
        return a

    def comp(self):
        a = self.add()
        while self.take("o"):
            a = ("bin", "o", a, self.add())
        return a

    def add(self):
        a = self.mul()
        while self.peek("+", "-"):
            op = self.need("+", "-")
            a = ("bin", op, a, self.mul())
        return a

    def mul(self):
        a = self.unary()
        while self.peek("*", "/", "%"):
            op = self.need("*", "/", "%")
            a = ("bin", op, a, self.unary())
        return a

    def unary(self):
        return ("neg", self.unary()) if self.take("-") else self.layout()

    def layout(self):
        a = self.postfix()
        if not self.take(":"):
            return a
        return ("layout", a, ("neg", self.postfix()) if self.take("-") else self.postfix())

    def postfix(self):
        a = self.primary()
        while self.peek("(", "."):
            a = ("call", a, self.args()) if self.take("(") else self.member(a)
        return a

    def member(self, of):
        self.need(".")
        return ("member", of, self.name())

    def primary(self):
        kind, text = self.toks[self.at]
        self.at += 1
        if kind == "int":
            return ("int", int(text, 0))
        if kind == "float":
            return ("float", float(text))
        if text == "_":
            return ("wild",)
        if text == "Sw":
            self.need("<")
            b, m, s = self.add(), self.need(",") and self.add(), self.need(",") and self.add()
            self.need(">")
            return ("swizzle", b, m, s)
        if kind == "word":
            return ("name", text)
        if text == "(":
            return ("tuple", self.args())
        if text == "<":
            items = [self.comp()]
            while self.take(","):
                items.append(self.comp())
            self.need(">")
            return ("tiler", items)
        raise ParseError(f"{text!r} where an expression is expected")

    def args(self):
        """Reads the arguments behind "(", and ")"."""
        out = []
        while not self.take(")"):
            key = None
            if self.toks[self.at][0] == "word" and self.toks[self.at + 1][1] == "=":
                key = self.name()
                self.need("=")
            value = self.expr()
            if self.take("->"):
                value = ("map", value, self.expr())
            elif self.take(".."):
                value = ("range", value, self.expr())
            out.append((key, value))
            if not self.take(","):
                self.need(")")
                break
        return out

    # -- declarations --------------------------------------------------------------------------------------------------------

    def plan(self):
        out = []
        while self.toks[self.at][0] != "end":
            out.append(self.declaration())
        return out

    def declaration(self):
        word = self.toks[self.at][1]
        if word in KINDS:
            return self.function()
        self.at += 1
        if word in ("tcp", "arch", "import"):
            self.at += 1
            self.need(";")
            if word == "import":
                raise ParseError("'import' is not read here")
            return {"kind": word}
        if word in ("const", "layout", "atom", "tiled_copy", "tiled_mma"):
            d = {"kind": "value", "name": self.name(), "value": (self.need("="), self.expr())[1]}
        elif word == "param":
            d = self.param()
        elif word == "tensor":
            d = {"kind": "tensor", "name": self.name(), "type": (self.need(":"), self.tensor_type())[1]}
        elif word == "expect":
            d = self.expect()
        else:
            raise ParseError(f"{word!r} where a declaration is expected")
        self.need(";")
        return d

    def expect(self):
        d = {"kind": "expect", "value": self.expr()}
        if self.take(","):
            self.kind("string")
        return d

    def param(self):
        names = [self.name()]
        while self.take(","):
            names.append(self.name())
        self.need(":")
        self.need("index")
        d = {"kind": "param", "names": names, "multiple": 1, "range": None, "where": None}
        if self.take("%"):
            d["multiple"] = self.number()
        if self.take("in"):
            d["range"] = (self.expr(), (self.need(".."), self.expr())[1])
        if self.take("where"):
            d["where"] = self.expr()
        return d

    def tensor_type(self, space=True):
        t = {"type": self.name(), "space": self.need("global", "shared", "frag") if space else None, "like": None, "shape": None,
             "align": None}
        if self.take("like"):
            t["like"] = self.expr()
        else:
            t["shape"] = self.expr()
        if space and self.take("align"):
            t["align"] = self.number()
        return t

    def function(self):
        f = {"kind": "function", "words": [], "grid": None, "threads": None}
        while True:
            word = self.need(*KINDS)
            f["words"].append(word)
            if word in ("kernel", "device"):
                break
        f["name"] = self.name()
        self.need("(")
        f["formals"] = []
        while not self.take(")"):
            f["formals"].append(self.formal())
            if not self.take(","):
                self.need(")")
                break
        if f["words"][0] == "extern":
            self.need("from")
            self.kind("string")
            self.need(";")
            return f
        while self.peek("grid", "threads"):
            clause = self.need("grid", "threads")
            f[clause] = self.expr()
        f["body"] = self.block()
        return f

    def formal(self):
        direction = "in"
        if self.toks[self.at + 1][0] == "word":  # "out B", where a lone "out" is a name
            direction = self.need("out", "inout")
        d = {"dir": direction, "name": self.name(), "type": None, "index": False}
        if self.take(":"):
            if self.take("index"):
                d["index"] = True
            else:
                d["type"] = self.tensor_type()
        return d

    # -- statements ----------------------------------------------------------------------------------------------------------

    def block(self):
        self.need("{")
        out = []
        while not self.take("}"):
            out.append(self.statement())
        return out

    def statement(self):
        if self.toks[self.at + 1][1] == ":":  # a label
            self.at += 2
        word = self.name()
        s = {"kind": word}
        if word in ("shared", "frag"):
            s["name"] = (self.name(), self.need(":"))[0]
            s["type"] = self.tensor_type(space=False)
            s["type"]["space"] = word
            s["stages"] = self.expr() if word == "shared" and self.take("stages") else None
        elif word == "copy":
            s["src"] = self.expr()
            self.need("->")
            s["dst"] = self.expr()
            s["how"] = self.need("with", "by")
            s["by"] = self.expr()
            if self.take("->"):
                s["by"] = ("map", s["by"], self.expr())
            s["pad"] = self.expr() if self.take("pad") else None
        elif word in ("for", "pipeline"):
            s["name"] = self.name()
            self.need("in")
            s["lo"] = self.expr()
            self.need("..")
            s["hi"] = self.expr()
            if word == "for":
                s["body"] = self.block()
                return s
            # who does which part, which changes nothing of what it means
            s["warps"] = self.args() if self.take("warps") and self.need("(") else []
            self.need("{")
            s["parts"] = []
            while not self.take("}"):
                s["parts"].append((self.need("load", "use"), self.block()))
            return s
        elif word == "let":
            s["name"] = self.name()
            s["value"] = (self.need("="), self.expr())[1]
        elif word == "fill":
            s["view"] = self.expr()
            s["value"] = (self.need("="), self.expr())[1]
        elif word == "expect":
            self.expect()
        elif word == "wait":
            self.number()
        elif word not in ("sync", "commit"):
            raise ParseError(f"the statement {word!r} is not read here")
        self.need(";")
        return s


def parse(text):
    """Returns the declarations of the plan "text"."""
    return Parser(text).plan()
