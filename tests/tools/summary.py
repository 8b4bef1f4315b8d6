"""Prints where the time of a test run went and, last, how many tests passed and failed.

usage: summary.py RESULTS.xml... < TIMES

Each RESULTS is the JUnit file of ctest or lit; TIMES has a line `SECONDS<tab>TITLE` a step.  A results file that is missing or
broken counts as a failure: a run that died must not look green.  Exits with 1 when anything failed.
"""

import os
import sys
import xml.etree.ElementTree as ElementTree

SLOWEST = 8


def cases(path):
    """Yields (name, verdict, seconds) of each test case in the JUnit file 'path'."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if "not selected" in (getattr(case.find("skipped"), "attrib", {}).get("message") or ""):
            continue  # by the filter of the command line
        name = "/".join(filter(None, (case.get("classname"), case.get("name"))))
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            verdict = "failed"
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            verdict = "skipped"
        else:
            verdict = "passed"
        yield name, verdict, float(case.get("time") or 0)


def label(path):
    """'build-asan/results/lit.xml' -> 'build-asan lit'."""
    parts = path.split(os.sep)
    return f"{parts[-3] if len(parts) > 2 else ''} {parts[-1].removesuffix('.xml')}".strip()


def main(paths):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failed, slow = [], []
    for path in paths:
        try:
            found = list(cases(path))
        except (OSError, ElementTree.ParseError) as error:
            failed.append(f"{label(path)}: no results ({error})")
            counts["failed"] += 1
            continue
        for name, verdict, seconds in found:
            counts[verdict] += 1
            slow.append((seconds, f"{label(path)}: {name}"))
            if verdict == "failed":
                failed.append(f"{label(path)}: {name}")

    print("\nwhere the time went")
    total = 0.0
    for line in sys.stdin.read().splitlines():
        seconds, _, title = line.partition("\t")
        if title:
            total += float(seconds)
            print(f"{float(seconds):8.1f} s  {title}")
    print(f"{total:8.1f} s  in total")
    slow = [entry for entry in sorted(slow, reverse=True)[:SLOWEST] if entry[0] >= 0.5]
    if slow:
        print("slowest tests")
        for seconds, name in slow:
            print(f"{seconds:8.1f} s  {name}")
    if failed:
        print("failed tests")
        for name in failed:
            print(f"  {name}")
    if counts["skipped"]:
        print(f"{counts['skipped']} skipped (they need a tool that this machine does not have: nvcc, a GPU, ...)")
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
