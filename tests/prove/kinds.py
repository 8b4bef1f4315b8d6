"""The kinds of plans that run.py tries: how each is made and judged, in one form for all.

'make(rng)' gives (plan, spoilt); 'judge(plan, rng)' gives a Verdict; 'witness(plan, verdict, kind, groups)' judges a witness.
"""

from dataclasses import dataclass

import cover_gen
import cover_judge
import order_gen
import order_judge
import spoil
import uninit_gen
import uninit_judge
import witness
from expr import value, wrap
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
    elif rng.random() < 0.06:
        freeze(rng, plan)
    return plan, spoilt


def freeze(rng, plan):
    """Has the params written as constants, large ones where they may be."""
    for _ in range(20):
        values = {}
        for p in plan.params:
            top = min(p.hi, rng.choice((100, 3000, 100000)))
            values[p.name] = rng.randrange(p.lo, max(top, p.lo) + 1) // p.mod * p.mod
        elements = 1
        for t in plan.tensors:
            for e in t.extents:
                elements *= max(1, value(wrap(e), values))
        if elements < 2**60 and plan.params and promised(plan, values):
            plan.frozen = values
            plan.family = "frozen " + plan.family
            return


def judge_coverage(plan, rng):
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
    return witness.judge_block(plan, verdict.judge, kind, groups, "unwritten")


KINDS = {
    "coverage": (make_coverage, judge_coverage, witness_coverage),
    "order": (order_gen.generate, judge_order, witness_order),
    "uninit": (uninit_gen.generate, judge_uninit, witness_uninit),
}
