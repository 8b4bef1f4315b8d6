"""The kinds of plans that run.py tries: how each is made and judged, in one form for all.

'make(rng)' gives (plan, spoilt); 'judge(plan, rng)' gives a Verdict; 'witness(plan, verdict, kind, groups)' judges a witness.
"""

from dataclasses import dataclass
from math import prod

import cover_gen
import cover_judge
import order_gen
import order_judge
import spoil
import uninit_gen
import uninit_judge
import witness
from expr import Dubious, value, wrap
from plan import choices, promised


@dataclass
class Verdict:
    fault: object = None  # what is wrong, or None
    values: dict = None  # with these params
    tried: int = 0
    every: bool = False  # all values of the params were tried
    judge: object = None


# -- coverage ------------------------------------------------------------------------------------------------------------------


def make_coverage(rng):
    plan = cover_gen.generate(rng)
    spoilt = rng.random() < 0.5
    if spoilt:
        spoil.spoil(rng, plan)
    if rng.random() < 0.06:
        enlarge(rng, plan, 40000 if spoilt else 2**50)
    return plan, spoilt


def enlarge(rng, plan, most_tiles):
    """Has the params large: written as constants, or with a large least value."""
    tile = max((prod(t.thr) * prod(t.val) for t in plan.tiled), default=1)
    for _ in range(40):
        values = {p.name: large_value(rng, p) for p in plan.params}
        try:
            elements = [prod(value(wrap(e), values) for e in t.extents) for t in plan.tensors]
            fits = 70000 <= max(elements) <= most_tiles * tile and promised(plan, values)
        except Dubious:
            continue
        if not fits or not plan.params:
            continue
        if rng.random() < 0.5:
            plan.frozen = values
        else:
            for p in plan.params:
                p.lo = values[p.name]
                p.hi = max(p.hi, p.lo + 4 * p.mod)
        plan.large = True
        plan.family = "large " + plan.family
        return


def large_value(rng, p):
    top = max(p.lo, min(p.hi, rng.choice((p.lo, 10, 100, 1000, 10000, 100000))))
    return rng.randrange(p.lo, top + 1) // p.mod * p.mod


def judge_coverage(plan, rng):
    if plan.large:
        judge = cover_judge.Judge(plan, cover_judge.LARGE)
        tried, every = choices(plan, rng, count=3, most=3)
    else:
        judge = cover_judge.Judge(plan)
        tried, every = choices(plan, rng)
    values, fault, done = judge.first_fault(tried)
    return Verdict(fault, values, done, every and done == len(tried), judge)


def witness_coverage(plan, verdict, kind, groups):
    return witness.judge_coverage(plan, verdict.judge, kind, groups)


# -- order ---------------------------------------------------------------------------------------------------------------------


def judge_order(plan, rng):
    judge = order_judge.Judge(plan)
    tried, every = choices(plan, rng, count=8, most=64)
    values, fault, done = judge.first_fault(tried)
    return Verdict(fault, values, done, every and done == len(tried), judge)


def witness_order(plan, verdict, kind, groups):
    return witness.judge_block(plan, verdict.judge, kind, groups, "order")


# -- uninit --------------------------------------------------------------------------------------------------------------------


def judge_uninit(plan, rng):
    judge = uninit_judge.Judge(plan)
    tried, every = choices(plan, rng, count=8)
    values, fault, done = judge.first_fault(tried)
    return Verdict(fault, values, done, every and done == len(tried), judge)


def witness_uninit(plan, verdict, kind, groups):
    return witness.judge_block(plan, verdict.judge, kind, groups, "uninit")


KINDS = {
    "coverage": (make_coverage, judge_coverage, witness_coverage),
    "order": (order_gen.generate, judge_order, witness_order),
    "uninit": (uninit_gen.generate, judge_uninit, witness_uninit),
}
