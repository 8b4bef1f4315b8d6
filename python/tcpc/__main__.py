"""The program tcpc of this package: `tcpc ..` and `python -m tcpc ..`."""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "tcpc")
    os.execv(program, ["tcpc", *sys.argv[1:]])


if __name__ == "__main__":
    main()
