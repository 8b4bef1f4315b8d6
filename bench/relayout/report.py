#!/usr/bin/env python3
"""Makes a report in Markdown and a chart in SVG of what bench.py wrote.

usage: report.py CASES.JSON CSV.. MARKDOWN SVG

Several CSV are several runs: tcpc's share of a peer is
of one run, that in which the peer did best beside it, and so is the peer's figure; memcpy and tcpc are of the first run
"""
import csv
import json
import math
import pathlib
import re
import sys

PEERS = {
    "tcpc": ("tcpc", "#d62728"),
    "hand": ("by hand", "#1f77b4"),
    "tma": ("TMA, by hand", "#8c564b"),
    "cute": ("CuTe", "#2ca02c"),
    "triton": ("Triton", "#9467bd"),
    "compile": ("torch.compile", "#ff7f0e"),
    "cutensor": ("cuTENSOR", "#17becf"),
    "torch": ("PyTorch", "#7f7f7f"),
    "memcpy2d": ("cudaMemcpy2D", "#bcbd22"),
}
INTRODUCTION = """# Relayouts beside their peers

`bash bench/relayout/prepare.sh DIR` where tcpc is built, `bash run.sh` in DIR where the GPU is. GB/s, read plus written: medians of 5 rounds in which
all peers of a case take turns, each with a clean L2 cache. memcpy is cudaMemcpyAsync of the same bytes in the same rounds. Each peer wrote into poisoned memory, from fresh
random data, in two pairs of buffers, and every element was compared. By hand, CuTe and Triton have several tiles a case, of which the fastest is
measured. torch.compile: max-autotune without CUDA graphs. The chart is [relayout_peers.svg](relayout_peers.svg), all figures are in
[relayout_peers.csv](relayout_peers.csv), the plans in [relayout_plans.txt](relayout_plans.txt).
"""
LISTS = {r"perm\d+_r\d": "random permutations", r"hptt\d+_r\d": "permutations of the HPTT benchmark"}
CLOSE = 0.99


class Results:
    def __init__(self, cases, paths):
        rows = json.loads(pathlib.Path(cases).read_text())
        self.goals, self.predicted = ({row["name"]: row[key] for row in rows if key in row} for key in ("goal", "predicted"))
        self.cases, self.notes, self.wrong = {}, [], []
        for path in paths:
            lines = pathlib.Path(path).read_text().splitlines()
            self.notes += [line[2:] for line in lines if line.startswith("#")]
            table = list(csv.DictReader(line for line in lines if not line.startswith("#")))
            speeds = {(row["case"], row["peer"]): float(row["GB/s"]) for row in table}
            for row in table:
                name, peer = row["case"], row["peer"]
                case = self.cases.setdefault(name, {})
                if row["verified"] != "yes":
                    self.wrong.append(f"{name}: {peer}")
                else:
                    ratio = speeds.get((name, "tcpc"), 0) / speeds[name, peer]
                    if peer not in case or peer in PEERS and ratio < case[peer]["tcpc"]:
                        case[peer] = {"speed": speeds[name, peer], "share": float(row["share of memcpy"]), "tcpc": ratio}

    def group(self, pattern):
        return {name: case for name, case in self.cases.items() if re.fullmatch(pattern, name)}

    def named(self):
        return {name: case for name, case in self.cases.items() if not any(re.fullmatch(p, name) for p in LISTS)}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(header, rows):
    return ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]] + [""]


def peers_of(cases):
    return [peer for peer in PEERS if any(peer in case for case in cases.values())]


def best_peer(case):
    """The one beside which tcpc is the slowest: (tcpc's share of it, its name)."""
    return min(((case[p]["tcpc"], p) for p in case if p in PEERS and p != "tcpc"), default=None)


def tau(pairs):
    """Kendall's, of pairs of what is predicted and what is measured; where either is equal, neither order counts."""
    signs = [((a > c) - (a < c)) * ((b > d) - (b < d)) for i, (a, b) in enumerate(pairs) for c, d in pairs[:i]]
    return sum(signs) / max(1, sum(map(abs, signs)))


def prediction(results):
    """A row for each list: how near the predicted shares of memcpy are to the measured ones."""
    for title, cases in [("named cases", results.named()), *((title, results.group(pattern)) for pattern, title in LISTS.items())]:
        pairs = {name: (results.predicted[name], case["tcpc"]["share"]) for name, case in cases.items()
                 if name in results.predicted and "tcpc" in case}
        if len(pairs) > 1:
            far = max(pairs, key=lambda name: abs(math.log(pairs[name][0] / pairs[name][1])))
            predicted, measured = (geometric_mean([pair[i] for pair in pairs.values()]) for i in range(2))
            yield [title, str(len(pairs)), f"{predicted:.3f}", f"{measured:.3f}", f"{tau(list(pairs.values())):.2f}",
                   f"{far}: {pairs[far][0]:.2f} for {pairs[far][1]:.2f}"]


def from_python(results):
    """A row for each list: how fast the Python package's copies are, of those of the same plans that nvcc compiled."""
    for title, cases in [("named cases", results.named()), *((title, results.group(pattern)) for pattern, title in LISTS.items())]:
        ratios = {name: case["python"]["speed"] / case["tcpc"]["speed"] for name, case in cases.items() if "python" in case and "tcpc" in case}
        if ratios:
            worst = min(ratios, key=ratios.get)
            share = geometric_mean([cases[name]["python"]["share"] for name in ratios])
            yield [title, str(len(ratios)), f"{share:.3f}", f"{geometric_mean(ratios.values()):.3f}", f"{ratios[worst]:.3f} ({worst})"]


def markdown(results):
    out, named = [INTRODUCTION, *(f"- {note}" for note in results.notes), ""], results.named()
    if named:
        peers = peers_of(named)
        rows = []
        for name, case in named.items():
            best = best_peer(case)
            rows.append([name, f"{case['memcpy']['speed']:.0f}", *(f"{case[p]['speed']:.0f}" if p in case else "-" for p in peers),
                         f"{case['tcpc']['share']:.3f}" if "tcpc" in case else "-",
                         f"{results.predicted[name]:.2f}" if name in results.predicted else "-", f"{results.goals[name]:.2f}" if name in results.goals else "-",
                         f"{best[0]:.3f} ({PEERS[best[1]][0]})" if best else "-"])
        out += table(["case", "memcpy", *(PEERS[p][0] for p in peers), "tcpc of memcpy", "predicted", "goal", "tcpc of the best"], rows)
    for pattern, title in LISTS.items():
        cases = results.group(pattern)
        rows = []
        for peer in peers_of(cases):
            shares = {name: case[peer]["share"] for name, case in cases.items() if peer in case}
            worst = min(shares, key=shares.get)
            behind = sum(1 for name in shares if cases[name][peer]["tcpc"] < CLOSE)
            rows.append([PEERS[peer][0], str(len(shares)), f"{geometric_mean(shares.values()):.3f}", f"{shares[worst]:.3f} ({worst})",
                         "-" if peer == "tcpc" else str(behind)])
        if rows:
            out += [f"{len(cases)} {title}, shares of memcpy:", ""]
            out += table(["peer", "cases", "geometric mean", "worst", f"tcpc under {CLOSE} of it"], rows)
    rows = list(prediction(results))
    if rows:
        out += ["What tcpc predicts of memcpy, beside what it has (geometric means):", ""]
        out += table(["list", "cases", "predicted", "measured", "Kendall's tau", "farthest off"], rows)
    rows = list(from_python(results))
    if rows:
        out += ["`tcpc.copy_` of PyTorch's tensors (geometric means):", ""]
        out += table(["list", "cases", "of memcpy", "of tcpc from C++", "worst"], rows)
    behind = sorted((case[p]["tcpc"], name, p) for name, case in results.cases.items() for p in case if p in PEERS and case[p]["tcpc"] < CLOSE)
    missed = [f"{name} ({case['tcpc']['share']:.3f} for {results.goals[name]:.2f})" for name, case in named.items()
              if "tcpc" in case and case["tcpc"]["share"] < results.goals.get(name, 0)]
    out += [f"Under their goal: {', '.join(missed)}." if missed else "No case is under its goal.", ""]
    out += [f"tcpc is under {CLOSE} of a peer in {len({name for _, name, _ in behind})} of {len(results.cases)} cases:", ""]
    by_case = {}
    for ratio, name, peer in behind:
        by_case.setdefault(name, []).append(f"{PEERS[peer][0]} {ratio:.3f}")
    out += table(["case", "tcpc's share of the peer"], [[name, ", ".join(texts)] for name, texts in by_case.items()]) if by_case else []
    out += [f"Not right: {', '.join(results.wrong)}." if results.wrong else "Every element of every result was right.", ""]
    return "\n".join(out)


def svg(results):
    left, width, top, step, right = 150, 620, 62, 13, 20
    order = list(results.named())
    for pattern in LISTS:
        cases = results.group(pattern)
        order += sorted(cases, key=lambda name: -cases[name].get("tcpc", {"share": 0})["share"])
    height = top + step * len(order) + 12
    x = lambda share: left + width * min(share, 1.05) / 1.05
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + right}" height="{height}" font-family="sans-serif" font-size="10">',
           f'<rect width="{left + width + right}" height="{height}" fill="#ffffff"/>',
           f'<text x="{left}" y="16" font-size="13">Relayouts: share of cudaMemcpyAsync of the same bytes</text>']
    at = left
    for peer in peers_of(results.cases):
        title, colour = PEERS[peer]
        out += [f'<circle cx="{at + 4}" cy="30" r="4" fill="{colour}"/>', f'<text x="{at + 12}" y="34">{title}</text>']
        at += 26 + 6 * len(title)
    for tenth in range(0, 11):
        out += [f'<line x1="{x(tenth / 10):.1f}" y1="{top - 8}" x2="{x(tenth / 10):.1f}" y2="{height - 8}" stroke="{"#999999" if tenth == 10 else "#e4e4e4"}"/>',
                f'<text x="{x(tenth / 10):.1f}" y="{top - 12}" text-anchor="middle">{tenth / 10:.1f}</text>']
    for i, name in enumerate(order):
        y = top + step * i + step // 2
        out.append(f'<text x="{left - 8}" y="{y + 3}" text-anchor="end">{name}</text>')
        out.append(f'<line x1="{left}" y1="{y}" x2="{left + width}" y2="{y}" stroke="#f0f0f0"/>')
        for peer in reversed(PEERS):
            if peer in results.cases[name]:
                share = results.cases[name][peer]["share"]
                out.append(f'<circle cx="{x(share):.1f}" cy="{y}" r="{4.5 if peer == "tcpc" else 3.2}" fill="{PEERS[peer][1]}" fill-opacity="0.85">'
                           f'<title>{name}: {PEERS[peer][0]} {share:.3f}</title></circle>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    cases, *sources, text, chart = sys.argv[1:]
    results = Results(cases, sources)
    pathlib.Path(text).write_text(markdown(results))
    pathlib.Path(chart).write_text(svg(results))


main()
