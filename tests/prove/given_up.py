#!/usr/bin/env python3
"""usage: given_up.py RUN.PY TCPC FOLDER: random plans of each kind against a tcpc whose proofs give up early."""
import os
import pathlib
import subprocess
import sys


def main():
    run, tcpc, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    failed = runs = 0
    for limit in (300, 2000, 8000):
        wrapper = folder / f"tcpc-{limit}"
        wrapper.write_text(f'#!/bin/sh\nexec {tcpc} --proof-limit={limit} "$@"\n')
        os.chmod(wrapper, 0o755)
        for kind in ("coverage", "order", "uninit"):
            made = subprocess.run([sys.executable, run, kind, "--count", "30", "--seed", str(limit), "--tcpc", str(wrapper), "--brief"],
                                  capture_output=True, text=True)
            runs += 1
            if made.returncode:
                failed += 1
                print(made.stdout[-2000:], made.stderr[-500:])
    print(f"{runs} runs, {failed} of them failed")


if __name__ == "__main__":
    main()
