"""usage: diff.py TCPC JSON PLAN...: `explain --diff` of explanations that were changed by hand says just that; of files that are no
explanations it says so; of changed bytes it says one or the other, and comes to an end."""

import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

tcpc, old = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
folder = tempfile.TemporaryDirectory()
OLD, NEW = (str(pathlib.Path(folder.name) / name) for name in ("old.json", "new.json"))


def compare(a, b):
    """The exit status, and the lines that were printed; "a" and "b" are values or bytes."""
    for path, value in (OLD, a), (NEW, b):
        pathlib.Path(path).write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    done = subprocess.run([tcpc, "explain", "--diff", OLD, NEW], capture_output=True, text=True, timeout=20)
    return done.returncode, (done.stdout + done.stderr).splitlines()


def expect(a, b, status, *lines):
    got = compare(a, b)
    # the last line counts
    if got[0] != status or got[1][:-1] != list(lines):
        sys.exit("status {}\n{}\ninstead of status {}\n{}".format(got[0], "\n".join(got[1]), status, "\n".join(lines)))


def changed(value, *path, to):
    """'value' with 'to' at 'path'; without what is there if 'to' is KeyError."""
    value = copy.deepcopy(value)
    at = value
    for step in path[:-1]:
        at = at[step]
    if to is KeyError:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return value


def explained(plan):
    return json.loads(subprocess.run([tcpc, "explain", "-w", "--json", plan], capture_output=True, check=True).stdout)


COPY = ("kernels", 0, "copies", 0)


def quantities():
    for name, unit, good, path in (("width", " bits", 1, ("width", "bits")), ("bytes in all blocks", "", -1, ("bytes", "all")),
                                   ("bytes per block", "", 0, ("bytes", "block_once"))):
        a = changed(old, *COPY, *path, to=64)
        for value, shown, sign in ((128, "128", 1), (32, "32", -1), (None, "none", 0), ("2*M", "2*M", 0), (1e30, "1e+30", 0)):
            says = {1: ": better", -1: ": worse", 0: ""}[sign * good]
            with_unit = shown + (unit if isinstance(value, int) else "")
            old_unit = "" if isinstance(value, int) else unit
            expect(a, changed(a, *COPY, *path, to=value), int(sign * good < 0), f"round.ld: {name}: 64{old_unit} -> {with_unit}{says}")
        missing = changed(a, *COPY, *path, to=KeyError)
        expect(missing, a, 0, f"round.ld: {name}: 64{unit}, which is not in the old file")
        expect(a, missing, 0, f"round.ld: {name}: 64{unit}, which is not in the new file")
        for wrong in (True, [1], {}):
            got = compare(a, changed(a, *COPY, *path, to=wrong))
            want = f"tcpc: error: '{NEW}' is not an output of 'tcpc explain --json': '{name}' of 'round.ld' is not an amount"
            if got != (2, [want]):
                sys.exit(f"{wrong}: {got}")


def counts():
    """Of the source, which lies in global memory: requests, then sectors."""
    sectors = (*COPY, "source", "cost", "counts", 1)
    a = changed(changed(old, *sectors, "access_min", to=20), *sectors, "access_max", to=24)
    for least, most, says in ((20, 25, ": worse"), (21, 24, ": worse"), (30, 30, ": worse"), (20, 23, ": better"), (1, 1, ": better"),
                              (19, 25, ""), (21, 23, "")):
        b = changed(changed(a, *sectors, "access_min", to=least), *sectors, "access_max", to=most)
        now = f"{least} to {most}" if most > least else f"{least}"
        expect(a, b, int(says == ": worse"), f"round.ld: sectors(src): 20 to 24 -> {now}{says}")
        # for other values of the params
        expect(a, changed(b, *COPY, "source", "cost", "values", to="M = 1"), 0, f"round.ld: sectors(src): 20 to 24 -> {now}")
    none = changed(a, *COPY, "source", "cost", "counts", to=[])
    got = compare(a, none)
    if got[0] != 0 or "round.ld: sectors(src): 20 to 24 -> none" not in got[1]:
        sys.exit(f"no counts: {got}")
    before = changed(a, *COPY, "source", "cost", to=KeyError)
    got = compare(before, a)
    if got[0] != 0 or got[1][0] != "round.ld: sectors(src): 20 to 24, which is not in the old file" or len(got[1]) != 4:
        sys.exit(f"a file without costs: {got}")
    for wrong in ("25", None, 25.5, 1):  # 1: less than the least
        got = compare(a, changed(a, *sectors, "access_max", to=wrong))
        if got != (2, [f"tcpc: error: '{NEW}' is not an output of 'tcpc explain --json': 'sectors(src)' of 'round.ld' is not an amount"]):
            sys.exit(f"{wrong}: {got}")


def others():
    for a, b, status, *lines in (
            (changed(old, *COPY, "atom", to="a\nb"), old, 0, "round.ld: atom: a<0A>b -> universal(128)"),
            (changed(old, "kernels", 0, "threads", to=64), old, 0, "round: threads: 64 -> 128"),
            (changed(old, "kernels", 0, "shared_bytes", to=0), old, 1, "round: shared memory: 0 -> 16384 bytes: worse"),
            (changed(old, "kernels", 1, "tensors", to=[]), old, 1, "hold: fragments: 0 -> 8 registers: worse"),
            (changed(old, "kernels", 1, "tensors", to=KeyError), old, 0, "hold: fragments: 8 registers, which is not in the old file"),
            (changed(old, "kernels", 1, "name", to="x\x1b"), old, 0, "hold: it was added", "x<1B>: it was removed")):
        expect(a, b, status, *lines)
    # 'variants.tcp' has 128, 64, 32 and 16 bits, 'edge.tcp' an edge in its first copy
    a, b = (explained(plan) for plan in sys.argv[3:])
    expect(a, changed(a, *COPY, "width", "variants", to=[128, 64, 32]), 0, "k:13: width of the narrowest variant: 16 -> 32 bits: better")
    expect(changed(a, *COPY, "width", "variants", to=[]), a, 1, "k:13: width of the narrowest variant: 128 -> 16 bits: worse")
    expect(a, changed(a, *COPY, "width", "bits", to=16), 1, "k:13: width: 128 -> 16 bits: worse")
    name = "k:{}: width at the edge".format(b["kernels"][0]["copies"][0]["line"])
    expect(b, changed(b, *COPY, "edge", "bits", to=32), 1, f"{name}: 128 -> 32 bits: worse")
    expect(b, changed(b, *COPY, "edge", to=KeyError), 0, f"{name}: 128 bits -> none")


def mates():
    """Which copy is compared with which."""
    ld, st = old["kernels"][0]["copies"]
    other = changed(st, "text", to="copy s.x -> B")  # the same tensors
    third = changed(changed(st, "text", to="copy C -> D"), "source", "tensor", to="C")

    def of(*copies):
        value = copy.deepcopy(old)
        value["kernels"][0]["copies"] = [changed(c, "line", to=i) for i, c in enumerate(copies)]
        return value

    def wide(c, bits):
        return changed(c, "width", "bits", to=bits)

    worse = "width: 128 -> 8 bits: worse"
    expect(of(ld, st), of(wide(st, 8), ld), 1, f"round:0: {worse}")  # the text
    expect(of(ld, st), of(st, wide(changed(ld, "text", to="copy"), 8)), 1, f"round.ld: {worse}")  # the label
    expect(of(st, st), of(st, wide(st, 8)), 1, f"round:1: {worse}")  # the order
    expect(of(ld, st), of(wide(other, 8), ld), 1, f"round:0: {worse}")  # the tensors
    expect(of(ld, st), of(wide(third, 8), ld), 1, f"round:0: {worse}")  # what is left over
    expect(of(ld, st), of(ld, wide(changed(st, "label", to="st"), 8)), 1, f"round.st: {worse}")  # a label that is new
    expect(of(ld), of(changed(ld, "label", to="in")), 0, "round.in: the copy was added", "round.ld: the copy was removed")
    expect(of(ld, st), of(ld, st, wide(st, 8)), 0, "round:2: the copy was added")
    expect(of(ld, st, other), of(ld, wide(third, 8)), 0, "round:1: the copy was added", "round:1: the copy was removed",
           "round:2: the copy was removed")


def refused():
    for value, what in ((1, "it has no 'schema'"), ({"schema": "1"}, "it has no 'schema'"), ({"schema": 1.5}, "it has no 'schema'"),
                        ({"schema": 2}, "its 'schema' is not 1"), ({"schema": 1}, "it has no list 'kernels'"),
                        ({"schema": 1, "kernels": {}}, "it has no list 'kernels'"),
                        ({"schema": 1, "kernels": [1]}, "a kernel has no 'name'"),
                        ({"schema": 1, "kernels": [{"name": "k"}]}, "a kernel has no list 'copies'"),
                        ({"schema": 1, "kernels": [{"name": "k", "copies": [[]]}]}, "a copy has no 'line'"),
                        ({"schema": 1, "kernels": [{"name": "k", "copies": [], "tensors": 1}]}, "the 'tensors' of a kernel are not a list")):
        for a, b, path in (value, old, OLD), (old, value, NEW):
            got = compare(a, b)
            if got != (2, [f"tcpc: error: '{path}' is not an output of 'tcpc explain --json': {what}"]):
                sys.exit(f"{value}: {got}")
    # what there may be none of
    expect({"schema": 1, "kernels": []}, {"schema": 1, "kernels": [{"name": "k", "copies": [{"line": 1}]}]}, 0, "k: it was added")


def bytes_of_any_kind():
    text = json.dumps(old).encode()
    with_ = [b"{", b"}", b"[", b"]", b'"', b",", b":", b"null", b"-1", b"9" * 40, b"1e999", b"\xff", b"\0", b"\\u0000", b""]
    draw = random.Random(15)
    seen = set()
    for i in range(200):
        at, end = sorted(draw.choices(range(len(text)), k=2)) if i % 2 else [draw.randrange(len(text))] * 2
        new = text[:at] + draw.choice(with_) + text[min(end, at + 9):]
        status, lines = compare(text, new)
        if status not in (0, 1, 2) or not lines or (status == 2) != lines[0].startswith("tcpc: error: "):
            sys.exit(f"status {status}: {lines}\n{new}")
        seen.add(status)
    # large ones
    copies = [{"line": i, "text": f"copy {i % 7}", "width": {"bits": i}} for i in range(60000)]
    many = {"schema": 1, "kernels": [{"name": "k", "copies": copies}]}
    if compare(many, changed(many, "kernels", 0, "copies", to=copies[::-1]))[0] != 1:
        sys.exit("many copies are not compared")
    for deep in b"[" * 3000000, b'{"a":' * 3000000, b"[" + b"0," * 3000000 + b"0]":
        seen.add(compare(old, deep)[0])
    if seen < {0, 2}:
        sys.exit(f"only {seen}")


quantities()
counts()
others()
mates()
refused()
bytes_of_any_kind()
