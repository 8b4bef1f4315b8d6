#!/usr/bin/env python3
"""Compares the code that two builds of tcpc write, statement by statement: for a change of names, of the order of terms or of line
breaks in emitted text, which same_output.py reports everywhere.

usage: same_code.py [--exact] [--generator GEN_PLANS] [--seeds N] [-j JOBS] [--show] OLD NEW

With --exact, all tokens must be equal. Otherwise constants (`const int t0 = tid / 8;`) are replaced by their values, sums and products
are multiplied out and sorted, and braces that only enclose names are dropped, and of several offsets that a loop increments alike, one counts. Comments, #line and casts are not
compared. The plans are those of tests/, examples/, bench/ and the documents, and random ones from GEN_PLANS (build/bin/gen_plans).
"""
import concurrent.futures
import difflib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from same_output import PLANS, ROOT, documents, random_plans, read_arguments  # noqa: E402

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|#\w+[^\n]*|[A-Za-z_][\w.:]*|\d\w*|&&|\|\||[-+*/%<>=!]=|\+\+|<(?=\S)|\S')
CARRIED = re.compile(r"from_(ahead|step)|at_\w+_(ahead|step)_*$")
LAUNCHER = re.compile(r"(?m)^TCP_EXTERN_C [^;{]*\{\n.*?^\}\n", re.S)
CAST = re.compile(r"\((?:int64_t|int|\w+ \*)\)(?=[\w(])")
PRECEDENCE = {"=": 1, "+=": 1, "?": 2, "||": 3, "&&": 4, "==": 5, "!=": 5, "<": 6, ">=": 6, "+": 7, "-": 7, "*": 8, "/": 8, "%": 8}


def tokens(text):
    """The tokens of emitted code. One that is a bracket and no operator is "<(" or ">)"."""
    text = re.sub(r"//[^\n]*", "", re.sub(r"#line[^\n]*\n", "", text))
    text = re.sub(r"1LL << (\d+)", lambda m: str(1 << int(m[1])), text)
    launchers = [m[0] for m in LAUNCHER.finditer(text)]  # behind all kernels or each behind its own
    text = re.sub(r"#ifndef __CUDACC_RTC__\s*#endif", "", LAUNCHER.sub("", text)) + "".join(launchers)
    text = re.sub(r"([\w])<(?=\w)([^<>;\n]*(?:\n[^<>;]*)?)>", r"\1 `(\2`)", CAST.sub("", text))
    return re.findall(r"`[()]|" + TOKEN.pattern, text)


class Reader:
    """Reads expressions as polynomials: {product of atoms: coefficient}, an atom being a text."""

    def __init__(self, words, names):
        self.words, self.at, self.names = words, 0, names

    def next(self):
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self):
        self.at += 1
        return self.words[self.at - 1]

    def inside(self, end):
        """What stands in brackets, as a text."""
        parts = []
        while self.next() != end:
            parts.append(self.take() if self.next() in (",", ";") else text_of(self.expression(0)))
        self.take()
        return " ".join(parts)

    def primary(self):
        word = self.take()
        if word in ("-", "&", "*", "!", "++"):
            of = self.primary()
            return {k: -v for k, v in of.items()} if word == "-" else {(word + text_of(of),): 1}
        if word == "(":
            of = self.expression(0)
            if self.next() == ")":
                self.take()
                return self.behind(None, of)
            return self.behind(f"({text_of(of)} {self.inside(')')})", None)
        if word == "{":
            return self.behind("{" + self.inside("}") + "}", None)
        if word.isdigit():
            return {(): int(word)} if int(word) else {}
        known = self.names.get(word)
        return self.behind(word, None) if known is None else self.behind(None, known)

    def behind(self, text, value):
        """An operand with the brackets and words after it."""
        closing = {"(": ")", "[": "]", "{": "}", "`(": "`)"}
        while self.next() in closing or re.match(r'[A-Za-z_"]', self.next()) or (self.next() == "*" and self.words[self.at + 1:self.at + 2] and
                                                                                   re.match("__restrict__|const", self.words[self.at + 1])):
            text = text_of(value) if text is None else text
            value = None
            opening = self.take()
            text += f"{opening}{self.inside(closing[opening])}{closing[opening]}" if opening in closing else f" {opening}"
        return {(text,): 1} if value is None else value

    def expression(self, least):
        if self.next() in (")", "]", "}", "`)", ",", ";", ""):
            return {}
        a = self.primary()
        while PRECEDENCE.get(self.next(), 0) > least:
            op = self.take()
            if op == "?":
                then = self.expression(1)
                self.take()
                a = {(f"({text_of(a)} ? {text_of(then)} : {text_of(self.expression(1))})",): 1}
                continue
            b = self.expression(PRECEDENCE[op])
            if op in "+-":
                a = dict(a)
                for k, v in b.items():
                    a[k] = a.get(k, 0) + (v if op == "+" else -v)
            elif op == "*":
                product = {}
                for k, v in a.items():
                    for m, n in b.items():
                        key = tuple(sorted(k + m))
                        product[key] = product.get(key, 0) + v * n
                a = product
            else:
                minus = op in "/%" and a and all(v < 0 for v in a.values())  # C rounds to zero
                a = {k: -v for k, v in a.items()} if minus else a
                a = {(f"({text_of(a)} {op} {text_of(b)})",): -1 if minus else 1}
            a = {k: v for k, v in a.items() if v}
        return a


def text_of(value):
    return " + ".join(" * ".join([str(v), *k]) for k, v in sorted(value.items())) or "0"


def statements(text):
    """The statements of emitted code, with names written out."""
    words, out, scopes, bare, begin = tokens(text), [], [{}], [], 0
    depth, offsets, kept = 0, {}, set()
    for at, word in enumerate(words):
        depth += (word in "([") - (word in ")]")
        if word.startswith("#"):
            out.append(word.strip())
            begin = at + 1
        if depth or word not in (";", "{", "}"):
            continue
        if word in "{}" and begin < at and words[at - 1] not in (")", "else", "int"):
            continue  # of a value
        said = words[begin:at]
        begin = at + 1
        names = {k: v for s in scopes for k, v in s.items()}
        if word == ";" and said[:1] == ["const"] and said[3:4] == ["="] and len(scopes) > 1:
            scopes[-1][said[2]] = Reader(said[4:], names).expression(0)
        elif said[1:2] == ["+="] and said[0] in names and said[0] not in kept:
            pass  # the same offset has another name
        elif said:
            if said[2:3] == ["="] and CARRIED.match(said[1]):  # an offset that a loop increments
                first = said[0], text_of(Reader(said[3:], names).expression(0))
                again = first in offsets
                offset = offsets.setdefault(first, f"carried{len(offsets)}")
                scopes[-1][said[1]] = names[said[1]] = {(offset,): 1}
                if again:
                    kept.discard(said[1])
                    continue
                kept.add(said[1])
                said[1] = offset
            r, made = Reader(said, names), []
            while r.at < len(said):
                made.append(text_of(r.expression(0)))
                if r.at < len(said):
                    made.append(r.take())
            out.append(" ".join(made))
        if word == "{":
            scopes.append({})
            offsets = offsets if len(scopes) > 2 else {}
            bare.append(not said)
        if word == "}" and len(scopes) > 1:
            scopes.pop()
        if word == "{" and not bare[-1] or word == "}" and not (bare and bare.pop()):
            out.append(word)
    return out


def output(tcpc, words):
    made = subprocess.run([tcpc, *words, "-o", "-", "-w"], capture_output=True, text=True, cwd=ROOT, timeout=120)
    return made.returncode, made.stdout


def compare(job):
    """The differing lines of what is written for a plan, and how many statements were compared."""
    old, new, exact, words = job
    (was, old_text), (is_now, new_text) = output(old, words), output(new, words)
    if was != is_now:
        return [f"exit status {was}, now {is_now}"], 0
    read = tokens if exact else statements
    a, b = read(old_text), read(new_text)
    return list(difflib.unified_diff(a, b, "old", "new", n=1, lineterm="")) if a != b else [], len(b)


def plans(folder, a):
    found = [*PLANS, *random_plans(folder, a, spoil=False), *documents(folder)]
    return [[str(p), *more] for p in found for more in ([], ["--emit=header"])]


def main():
    a = read_arguments(__doc__, "--exact")
    old, new = a.old, a.new
    bad = count = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ProcessPoolExecutor(a.j) as pool:
        listed = plans(folder, a)
        for words, (lines, n) in zip(listed, pool.map(compare, [(old, new, a.exact, words) for words in listed])):
            count += n
            if not lines:
                continue
            bad += 1
            print(f"differs: tcpc {' '.join(words)}")
            if a.show:
                print("\n".join(lines))
    print(f"{len(listed)} outputs, {count} {'tokens' if a.exact else 'statements'} compared, {bad} differ")
    sys.exit(1 if bad or not count else 0)


if __name__ == "__main__":
    main()
