"""Kernels of a plan that you wrote, as functions.

    python plan.py
"""
import pathlib

import numpy as np

import tcpc

plan = tcpc.load(pathlib.Path(__file__).with_name("turn.tcp"))
print(plan)

a = np.arange(64 * 96, dtype=np.float32).reshape(64, 96)
b = np.zeros((96, 64), np.float32)
plan.turn(a, b)  # M and N are found in the shapes
assert np.array_equal(b, a.T)

b[:] = 0
plan.planned(A=a, B=b)
assert np.array_equal(b, a.T)

# A wrong call says which dimension is wrong, in the plan's words.
for wrong in (lambda: plan.turn(a, b.T), lambda: plan.turn(a[:, ::2], b), lambda: plan.turn(a[:33], b)):
    try:
        wrong()
    except (ValueError, RuntimeError) as error:
        print(error)

# What the compiler chose for each copy.
for copy in plan.explain("turn").kernels[0].copies:
    print(copy.text, "-", copy.width.bits, "bits an access,", copy.threads, "threads")
