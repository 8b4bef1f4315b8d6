# flags.py TCPC FILE..: each flag that a --help names stands in each FILE (a man page or a completion).
import re
import subprocess
import sys

tcpc, files = sys.argv[1], sys.argv[2:]
texts = {f: open(f).read().replace("\\-", "-") for f in files}
missing, count = [], 0
for command in ["", "run", "relayout", "tune", "explain", "count", "draw", "eval", "fmt"]:
    shown = subprocess.run([tcpc, *command.split(), "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
    for line in re.findall(r"^ +(-.*?)(?:  |$)", shown, re.M):
        for flag in re.findall(r"(?<![\w-])--?([A-Za-z][A-Za-z-]*)", line):
            flag = re.sub(r"(?i)^(W|Wno-)name$", r"\1", flag)
            count += 1
            for name, text in texts.items():
                # fish writes "-l NAME" for --NAME and "-o NAME", "-s N" for -NAME
                if flag == "W":
                    continue
                if not re.search(r"(?:-|-[lso] )%s%s" % (re.escape(flag), "" if flag == "Wno-" else r"(?!\w)"), text):
                    missing.append(f"{name}: no {flag} of 'tcpc {command}'")
print("\n".join(missing) or f"{count} flags stand everywhere")
sys.exit(1 if missing or count < 40 else 0)
