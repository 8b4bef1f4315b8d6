"""usage: pages.py TCPC SOURCE: the pages in docs/errors are those that warnings and errors name, and are what tcpc prints."""

import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[2])
text = "".join(path.read_text() for path in (source / "compiler").rglob("*.c"))
rows = re.search(r"warnings\[W_COUNT\] = \{(.*?)\n\};", text, re.S)[1]
named = set(re.findall(r'\[W_\w+\] =\s*\{"([\w-]+)"', rows))
for call in re.findall(r"\bdiag_page\((.*?)\);", text, re.S):
    named |= set(re.findall(r'"([\w-]+)"', call))
named |= set(re.findall(r'\.page = "([\w-]+)"', text))  # of atoms
pages = {path.stem: path.read_text() for path in (source / "docs" / "errors").glob("*.md")}
if named != set(pages):
    sys.exit(f"without a page: {sorted(named - set(pages))}; without a message: {sorted(set(pages) - named)}")
for name, page in pages.items():
    printed = subprocess.run([sys.argv[1], f"--explain={name}"], capture_output=True, text=True)
    if printed.returncode or printed.stdout != page:
        sys.exit(f"--explain={name} is not docs/errors/{name}.md")
