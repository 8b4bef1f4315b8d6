#!/usr/bin/env python3
"""Times one permutation of PyTorch's tensors at sizes from 1 KB to 1 GB, by tcpc's Python package, PyTorch and torch.compile: CSV and a chart.

usage: sizes.py [--seconds N] CSV SVG

x.permute(0, 2, 1, 3) of f16, into a new tensor each time. The time is that of a call in a row of calls, which is the launch for small tensors and the
copy for large ones. The ways take turns for 5 rounds; the figure is the median. "copy" is x.clone() without a permutation. --seconds: begin no size later
"""
import argparse
import pathlib
import statistics
import time

import torch

import tcpc

ROUNDS, MINIMUM_MS = 5, 4
COLOURS = {"tcpc": "#d62728", "PyTorch": "#7f7f7f", "torch.compile": "#ff7f0e", "copy": "#1f77b4"}


def permuted(x):
    return x.permute(0, 2, 1, 3).contiguous()


def per_call(work, n):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(n):
        work()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / n * 1e6


def measured(size):
    """{way: microseconds} at this many bytes."""
    heads = 4 if size < 1 << 16 else 32
    depth = 16 if size < 1 << 16 else 64
    x = torch.randn(1, size // 2 // heads // depth, heads, depth, device="cuda", dtype=torch.float16)
    torch._dynamo.reset()
    compiled = torch.compile(permuted, dynamic=False)
    ways = {"tcpc": lambda: tcpc.permute(x, (0, 2, 1, 3)), "PyTorch": lambda: permuted(x), "torch.compile": lambda: compiled(x), "copy": x.clone}
    assert all(torch.equal(ways[way](), permuted(x)) for way in ("tcpc", "torch.compile"))
    counts = {way: max(3, round(MINIMUM_MS * 1e3 / min(per_call(work, 10) for _ in range(2)))) for way, work in ways.items()}
    rounds = {way: [] for way in ways}
    order = list(ways)
    for r in range(ROUNDS):
        for way in order[r % 4:] + order[:r % 4]:
            rounds[way].append(per_call(ways[way], counts[way]))
    return {way: statistics.median(found) for way, found in rounds.items()}


def chart(rows):
    """Microseconds over bytes, both by powers."""
    from math import log10

    left, top, width, height = 60, 30, 560, 320
    x = lambda size: left + width * (log10(size) - 3) / 6.1
    y = lambda us: top + height * (1 - log10(us) / 4)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 20}" height="{top + height + 40}" font-family="sans-serif" font-size="11">',
           f'<rect width="{left + width + 20}" height="{top + height + 40}" fill="#ffffff"/>',
           f'<text x="{left}" y="16" font-size="13">x.permute(0, 2, 1, 3) of f16: microseconds a call</text>']
    for power in range(5):
        out.append(f'<line x1="{left}" y1="{y(10 ** power):.0f}" x2="{left + width}" y2="{y(10 ** power):.0f}" stroke="#e4e4e4"/>'
                   f'<text x="{left - 6}" y="{y(10 ** power) + 4:.0f}" text-anchor="end">{10 ** power}</text>')
    for size, text in (1 << 10, "1 KB"), (1 << 20, "1 MB"), (1 << 30, "1 GB"):
        out.append(f'<text x="{x(size):.0f}" y="{top + height + 18}" text-anchor="middle">{text}</text>')
    for i, (way, colour) in enumerate(COLOURS.items()):
        points = " ".join(f"{x(size):.1f},{y(times[way]):.1f}" for size, times in rows)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
                   f'<text x="{left + 12}" y="{top + 16 + 15 * i}" fill="{colour}">{way}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("csv", type=pathlib.Path)
    parser.add_argument("svg", type=pathlib.Path)
    given, began, rows = parser.parse_args(), time.time(), []
    lines = [f"# {torch.cuda.get_device_name()}; PyTorch {torch.__version__}; tcpc {tcpc.version()}; {time.strftime('%Y-%m-%d', time.gmtime())}", "bytes," + ",".join(COLOURS)]
    for power in range(10, 31, 2):
        if time.time() - began > given.seconds:
            break
        rows.append((1 << power, measured(1 << power)))
        lines.append(f"{1 << power}," + ",".join(f"{rows[-1][1][way]:.2f}" for way in COLOURS))
        print(lines[-1], flush=True)
    given.csv.write_text("\n".join(lines) + "\n")
    given.svg.write_text(chart(rows))


if __name__ == "__main__":
    main()
