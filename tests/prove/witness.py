"""What tcpc prints as witness of what it refuses, read by the regular expressions below and judged by brute force.

This is the one place that knows the words.  A pattern gives 'params' ("N = 3, M = 4, "), 'element', 'tensor', and for two writers
'first' and 'second', of which WHO reads what is there.  What a text leaves out is not compared.
"""

import re

from expr import Dubious, value, wrap
from plan import Copy, promised, statements

PARAMS = r"(?:with (?P<params>(?:\w+ = -?\d+, )+))?"
ELEMENT = r"element (?P<element>\(?[-\d,]+\)?) of '(?:out |inout )?(?P<tensor>\w+)'"
PATTERNS = {
    "never": re.compile(PARAMS + ELEMENT + r" is never written"),
    "twice": re.compile(PARAMS + ELEMENT + r" is written twice, by (?P<first>.*?) and by (?P<second>.*)"),
    "unwritten": re.compile(PARAMS + ELEMENT + r" is read (?:by|in) (?P<who>.*), and was not written"),
    "register": re.compile(
        PARAMS + r"register (?P<element>\d+) of '(?P<tensor>\w+)' in (?P<who>thread \d+ is read in .*), and was not written"
    ),
    "order": re.compile(PARAMS + r"(?:thread \d+|a thread) (?:reads|writes) " + ELEMENT + r" here, in (?P<who>.*)"),
}
WITHIN = {"order": ("order",), "uninit": ("unwritten", "register")}  # the kinds of what goes wrong within a block
WHO = {
    "value": re.compile(r"value (\d+)"),
    "thread": re.compile(r"thread (\d+)"),
    "block": re.compile(r"block \(([\d,]+)\)"),
    "loops": re.compile(r"with ((?:\w+ = -?\d+(?:, )?)+)"),
}


def numbers(text):
    return tuple(int(x) for x in re.findall(r"-?\d+", text))


def named(text):
    return {a: int(b) for a, b in re.findall(r"(\w+) = (-?\d+)", text or "")}


def who(text):
    """{'value': n, 'thread': n, 'block': (x,y,z), 'loops': {..}}, as far as the text says."""
    found = {key: p.search(text) for key, p in WHO.items()}
    out = {key: int(m[1]) for key, m in found.items() if m and key in ("value", "thread")}
    if found["block"]:
        out["block"] = numbers(found["block"][1])
    if found["loops"]:
        out["loops"] = named(found["loops"][1])
    return out


def read(said):
    """The witnesses in what tcpc printed: [(kind, groups of the pattern, line)]."""
    out = []
    for line in said.splitlines():
        for kind, p in PATTERNS.items():
            if m := p.search(line):
                out.append((kind, m.groupdict(), line))
    return out


def values_of(plan, groups):
    """The params' values that the witness names; None when it leaves out some, 'broken' when these break a promise."""
    values = dict(plan.frozen or {}, **named(groups["params"]))
    if any(p.name not in values for p in plan.params):
        return None
    return values if plan.frozen or promised(plan, values) else "broken"


def is_writer(plan, claim, writer):
    """Whether 'claim', of 'who', fits what brute force found."""
    number, block, loops, at, tid, warp = writer
    copy = [c for c in statements(plan.body) if isinstance(c, Copy)][number]
    if "block" in claim and claim["block"] != block:
        return False
    if any(loops.get(n) != v for n, v in claim.get("loops", {}).items()):
        return False
    if copy.tiled:
        thread, val = copy.tiled.owner(at)
        thread += 32 * (warp or 0)
    else:
        thread, val = tid, 0
        lengths = [copy.dst.tile[m] for m in copy.dst.kept()] if copy.dst.tile else None
        if lengths is None:
            return claim.get("thread", tid) == tid
        for x, n in zip(reversed(at), reversed(lengths)):
            val = val * n + x
    return claim.get("thread", thread) == thread and claim.get("value", val) == val


def judge_coverage(plan, judge, kind, groups):
    """True or False, or None where the witness cannot be judged."""
    values = values_of(plan, groups)
    if values is None or kind not in ("never", "twice"):
        return None
    if values == "broken":
        return False
    tensor = next((t for t in plan.tensors if t.name == groups["tensor"]), None)
    element = numbers(groups["element"])
    if tensor is None:
        return False
    extents = [value(wrap(e), values) for e in tensor.extents]
    if len(element) != len(extents) or not all(0 <= x < n for x, n in zip(element, extents)):
        return False
    try:
        writers, all_of_them = judge.writers(values, tensor.name, element)
    except Dubious:
        return None
    if kind == "never":
        if not writers and not all_of_them:
            return None
        return not writers and any(d == "out" and t is tensor for d, t in plan.formals)
    first, second = who(groups["first"]), who(groups["second"])
    a = [i for i, w in enumerate(writers) if is_writer(plan, first, w)]
    b = [i for i, w in enumerate(writers) if is_writer(plan, second, w)]
    if a and b and len(set(a + b)) > 1:
        return True
    return False if all_of_them else None


def judge_block(plan, judge, kind, groups, wanted):
    """The same for what goes wrong within a block: that it does with this element, at these params, in this block and step.

    Of two accesses that are not in order the text tells the steps of the earlier one, which are not compared.
    """
    values = values_of(plan, groups)
    if values is None or kind not in WITHIN[wanted]:
        return None
    if values == "broken":
        return False
    claim = who(groups["who"])
    loops = claim.get("loops", {}) if wanted == "uninit" else {}
    if "thread" in claim and kind == "register":
        loops = dict(loops, tid=claim["thread"])
    tensor = next((t for t in plan.local if t.name == groups["tensor"]), None)
    element = numbers(groups["element"])
    if tensor is None:
        return False
    if len(element) == len(tensor.extents) + 1 and element[-1] < tensor.stages:
        element = element[:-1]  # the slot, which the plan names by the step
    try:
        fault = judge.fault(values, claim["block"], (tensor.name, element, loops))
    except Dubious:
        return None
    if fault and fault.kind in ("outside", "nosource"):
        return None  # something else is wrong too
    return fault is not None
