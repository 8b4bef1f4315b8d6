"""Model against counter of each launch, and how many agree by counter.

usage: kernels_table.py FOLDER.. : each holds count.json (tcpc count --json) and ncu.csv
"""
import collections
import csv
import json
import os
import sys


def launches(path):
    """(function, grid, counters) of each launch, in order."""
    lines = open(path).read().splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        return
    table = list(csv.reader(lines[start:]))
    column = {name: i for i, name in enumerate(table[0])}
    for row in table[2:]:
        if len(row) != len(table[0]):
            continue
        counter = {n[:-4]: int(float(row[i].replace(",", ""))) for n, i in column.items() if n.endswith(".sum") and row[i] not in ("", "n/a")}
        grid = [int(x) for x in row[column["Grid Size"]].strip("()").split(",")]
        yield row[column["Kernel Name"]].split("(")[0].split()[-1], grid, counter


def main():
    same, ranges, varies, differ = (collections.Counter() for _ in range(4))
    kernels = agreed = unseen = 0
    print("program\tkernel\tcounter\tmodel\tcounted\tverdict")
    for folder in sys.argv[1:]:
        if not os.path.exists(folder + "/count.json") or not os.path.exists(folder + "/ncu.csv"):
            continue
        seen = {}
        for function, grid, counter in launches(folder + "/ncu.csv"):
            seen.setdefault(function, (grid, []))[1].append(counter)
        for k in json.load(open(folder + "/count.json")):
            name = k["function"]
            if k["why"] or not name:
                continue
            if name not in seen or seen[name][0] != k["grid"]:
                unseen += 1
                continue
            launch, right = seen[name][1], True
            for metric, (least, most) in k["counters"].items():
                counts = [c[metric] for c in launch if metric in c]
                if not counts or (most == 0 and max(counts) == 0):
                    continue
                n = min(counts)
                short = metric.split("_mem_")[1] + " " + ("wavefronts" if "wavefronts" in metric else metric.split("_")[3])
                verdict = "range" if least != most else "same"
                if not least <= n <= most:  # some counters differ between launches of one kernel
                    verdict = "varies" if least < n and max(counts) > n else "differs"
                {"same": same, "range": ranges, "varies": varies, "differs": differ}[verdict][short] += 1
                right &= verdict != "differs"
                model = str(least) if least == most else f"{least}..{most}"
                print(f"{os.path.basename(folder.rstrip('/'))}\t{k['kernel']}\t{short}\t{model}\t{n}\t{verdict}")
            kernels += 1
            agreed += right
    print()
    for short in sorted(set(same) | set(ranges) | set(varies) | set(differ)):
        print(f"# {short}: {same[short]} the same, {ranges[short]} within a range, {varies[short]} vary from launch to launch, {differ[short]} differ")
    print(f"# {agreed} of {kernels} kernels agree; {unseen} were not seen or ran with another grid")


main()
