#!/usr/bin/env python3
"""Counts with Nsight Compute what the kernels of relayouts do to memory and what their warps wait for: a table, a line for each case and peer.

In the folder that prepare.sh wrote, where the GPU is. Each kernel runs alone, once for each group of counters, with empty caches and unlocked clocks.

usage: counters.py [--peers NAME,..] [--csv FILE] [-o FILE] CASE..
       counters.py --table CSV LOG [-o FILE]      the table of counters that are there already

--peers: default: tcpc,compile; of triton, hand and cute the fastest tile    --csv: keep the counters, and in FILE.log whose they are
"""
import argparse
import csv
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STALLS = ["long_scoreboard", "lg_throttle", "mio_throttle", "short_scoreboard", "barrier"]
COUNTERS = {
    "ns": "gpu__time_duration.sum",
    "read": "dram__bytes_read.sum",
    "written": "dram__bytes_write.sum",
    "dram": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "hit": "lts__t_sector_hit_rate.pct",
    "sectors_read": "lts__t_sectors_op_read.sum",
    "sectors_written": "lts__t_sectors_op_write.sum",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
    "waves": "launch__waves_per_multiprocessor",
    **{stall: f"smsp__average_warps_issue_stalled_{stall}_per_issue_active.ratio" for stall in STALLS},
}
HEAD = ["case", "kernel", "us", "GB/s", "read", "written", "memory %", "L2 %", "L2 sectors", "warps %", "registers", "waves", *(s.replace("_", " ") for s in STALLS)]


def run(names, peers, log):
    """Under ncu: launches each peer of each case once between the marks, and writes whose launch it was."""
    import bench as b
    bench = b.Bench(HERE, False)
    others = []
    if {"compile", "triton"} & set(peers):
        import torch_peers
        torch = torch_peers.TorchPeers(bench, b.Peer, None)
        others = [torch.triton, torch.compiled]
    rows = {row["name"]: row for row in json.loads((HERE / "cases.json").read_text())}
    for name in (n for part in names for n in rows if n.startswith(part)):
        case = b.Case(rows[name])
        source, to = [[bench.memory(n) for _ in range(b.PAIRS)] for n in (case.from_bytes + 4, case.to_bytes + b.GUARD)]
        for p in source:
            b.checked(bench.lib.bench_fill(p, ctypes.c_longlong((case.from_bytes + 3) // 4 * 4), ctypes.c_ulonglong(1), 0))
        for peer in bench.peers(case, source, to, peers, others)[1:]:  # the first one is memcpy
            b.checked(bench.lib.bench_profile(1))
            peer.launch(0)
            b.checked(bench.lib.bench_wait() | bench.lib.bench_profile(0))
            print(name, peer.name, case.bytes, file=log, flush=True)
        for p in source + to:
            b.checked(bench.lib.bench_free(p))


def launches(path):
    """The counters of each launch, in their order."""
    with open(path, errors="replace") as f:
        lines = list(csv.reader(line for line in f if not line.startswith("==")))
    for line in lines[2:]:  # the second one has the units
        values = dict(zip(lines[0], line))
        yield {key: float((values[name] or "nan").replace(",", "")) for key, name in COUNTERS.items()}


def table(counted, log):
    whose = [line.split() for line in log.read_text().splitlines()]
    rows = list(launches(counted))
    if len(rows) != len(whose):
        sys.exit(f"counters.py: {len(rows)} kernels ran for {len(whose)} launches")
    yield HEAD
    for (case, peer, n), v in zip(whose, rows):
        bytes = int(n)
        yield [
            case, peer, f"{v['ns'] / 1e3:.1f}", f"{2 * bytes / v['ns']:.0f}", f"{v['read'] / bytes:.2f}", f"{v['written'] / bytes:.2f}", f"{v['dram']:.0f}",
            f"{v['l2']:.0f}", f"{(v['sectors_read'] + v['sectors_written']) * 32 / (2 * bytes):.2f}", f"{v['warps']:.0f}", f"{v['registers']:.0f}",
            f"{v['waves']:.1f}", *(f"{v[stall]:.1f}" for stall in STALLS)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--peers", default="tcpc,compile")
    p.add_argument("--csv", type=pathlib.Path)
    p.add_argument("--table", type=pathlib.Path, nargs=2)
    p.add_argument("--run", type=pathlib.Path, help=argparse.SUPPRESS)
    p.add_argument("-o", default="/dev/stdout")
    p.add_argument("cases", nargs="*")
    args = p.parse_args()
    if args.run:
        with open(args.run, "w") as log:
            run(args.cases, args.peers.split(","), log)
        return
    with tempfile.TemporaryDirectory() as folder:
        counted = args.csv or pathlib.Path(folder) / "counters.csv"
        log = counted.with_name(counted.name + ".log")
        if args.table:
            counted, log = args.table
        else:
            command = ["ncu", "--profile-from-start", "off", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--log-file", str(counted)]
            command += ["--metrics", ",".join(COUNTERS.values()), sys.executable, os.path.abspath(__file__), "--run", str(log.absolute()), "--peers", args.peers]
            subprocess.run([*command, *args.cases], check=True)
        rows = list(table(counted, log))
    with open(args.o, "w") as out:
        for row in [rows[0], ["---"] * len(HEAD), *rows[1:]]:
            print("|", " | ".join(row), "|", file=out)


main()
