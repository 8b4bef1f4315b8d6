"""Runs programs on the host under each of its schedules, over one of two poisons.

usage: schedules.py PROGRAM..
"""

import itertools
import os
import subprocess
import sys

SCHEDULES = ("forward early poison=0xcb", "backward early poison=0x34", "forward late poison=0x34", "backward late poison=0xcb")


def run(command, schedule, **more):
    """Runs "command" under "schedule", with further variables of the environment."""
    return subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, TCP_HOST_SCHEDULE=schedule, **more))


def main(*programs):
    failed = 0
    for program, schedule in itertools.product(programs, SCHEDULES):
        done = run([program], schedule)
        print(done.stdout + done.stderr, end="")
        if done.returncode != 0:
            print(f"{program} ends with {done.returncode}: {schedule}")
            failed += 1
    print(f"{len(programs)} programs under {len(SCHEDULES)} schedules each, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
