"""Checks on the tree itself that no compiler makes.

usage: tree.py symbols LIBRARY...   no object of ours lies in memory that is written: no mutable globals, but for one a thread
       tree.py sources              no file names a folder of somebody's machine, is left for later, or has the marks of a merge; bash
                                    can read each of its scripts; long files are listed, and are wrong in the compiler, the grammar
                                    and the runtime, as functions of the compiler with many parameters are: those go together in a
                                    structure
       tree.py paths                each file and folder that documents and comments name is there, and docs/design.md and README.md
                                    name each folder of the compiler
       tree.py version              the version stands in CMakeLists.txt alone, and CHANGELOG.md says what it has
       tree.py tests                no lit test looks for words in a text that holds its own CHECK lines
       tree.py rows                 no file but the table of copy atoms compares what a row is called, or its cache operator
       tree.py words                docs/language.md lists each keyword, as reserved or as a word of one place
       tree.py lists                what CONTRIBUTING.md says of an atom, a warning, a drawing, a planner's form, a command, an architecture
                                    and the library: the files of its lists name each one
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG = 450
MOST_PARAMETERS = 7
OURS = ("compiler/", "grammar/", "runtime/")

# What a thread sets while the library works for it, and takes back (compiler/base/trap.c); and what a command, which is no part of
# the library, removes when a signal ends it (compiler/run/process.c).
WRITTEN = {("trap_of_thread", ".tbss"), ("to_remove", ".bss")}

# Spelt apart, so that this file does not find itself.
FORBIDDEN = [re.compile(text) for text in ("/" + r"(work|root|home)/\w", r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b", "^<{7}(?= )|^>{7}(?= )")]
# In the compiler: a long has 32 bits on some systems, and isl's functions of values take one (compiler/prove/integers.c has others).
NARROW = re.compile(r"\bisl_val_\w+_si\(|\(long\)|%-?\d*ld\b")
# .. and the order of these enums means nothing.
ORDERED = re.compile(r"(?<![<>])[<>]=? (IX_(TID|LANE|WARP|BLOCK|LOOP|FORMAL|NAMED)|MEM_|ARRIVAL_(GROUP|BLOCK|NAMED|MEMORY|NONE)|BY_|STMT_|KIR_)\w*|"
                     r"\b(IX_(TID|LANE|WARP|BLOCK_\w|LOOP|FORMAL|NAMED)|MEM_\w+|STMT_\w+|KIR_\w+) [<>]=? ")
SOURCES = {".c", ".h", ".l", ".y", ".py", ".md", ".tcp", ".cuh", ".cu", ".txt", ".cmake", ".in", ".json", ".cc", ".cpp", ".sh", ""}

# Documents that say what each folder of the compiler is.
ROOMS = ("docs/design.md", "README.md")
# Documents that name files of the compiler without their folders, too.
PLAIN = ("docs/design.md", "CONTRIBUTING.md")
# In a path: stands for any name.
PLACEHOLDER = re.compile(r"(?<![A-Za-z])(NAME|STAGE|MODULE|PAGE|RULE|FOLDER)\b")
# Files of an atom that was added as a trial, of which CONTRIBUTING.md tells.
TRIED = {f"tests/{stage}/{name}.tcp" for stage, name in (("run", "collective"), ("pass", "err-collective"), ("sema", "err-collective"))}


def symbols(libraries):
    """Prints each object symbol of 'libraries' in a section that is written at run time; returns their number."""
    found = 0
    for library in libraries:
        listing = subprocess.run(["objdump", "-t", library], capture_output=True, text=True, check=True).stdout
        member = ""
        for line in listing.splitlines():
            if ":     file format" in line:
                member = line.split(":")[0]
            match = re.match(r"^[0-9a-f]+ (.{7}) (\S+)\s+([0-9a-f]+) (?:\.hidden )?(\S+)$", line)
            if not match or "O" not in match[1]:
                continue
            section = match[2]
            if (match[4], section) in WRITTEN:
                continue
            if section.startswith((".data", ".bss", ".tdata", ".tbss", "*COM*")) and not section.startswith(".data.rel.ro"):
                print(f"{pathlib.Path(library).name}({member}): '{match[4]}' lies in {section}")
                found += 1
    print(f"{len(libraries)} libraries, {found} mutable objects")
    return found


def files():
    """The names and texts of the sources that git has; none outside of a checkout."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        listed = None
    if not listed or listed.returncode != 0:
        print("not a git checkout: nothing to check")
        return []
    paths = [(name, ROOT / name) for name in listed.stdout.split("\0") if name]
    return [(name, path.read_text(errors="replace")) for name, path in paths
            if path.suffix in SOURCES and path.is_file() and path.stat().st_size <= 1 << 20]


# The head of a function, its name and its parameters; the code has no comments.
FUNCTION = re.compile(r"^(?!#|typedef|return|else)[A-Za-z_][\w \t\n*]*?\b(\w+)\(((?:[^(){};]|\([^()]*\))*)\)\s*[{;]", re.M)


def many_parameters(name, text):
    """Prints each function of the source "text" that has too many parameters; returns their number."""
    found = 0
    code = re.sub(r"/\*.*?\*/|//[^\n]*", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
    for function in FUNCTION.finditer(code):
        count = re.sub(r"\([^()]*\)", "", function[2]).count(",") + 1
        if count > MOST_PARAMETERS:
            print(f"{name}:{code.count(chr(10), 0, function.start()) + 1}: '{function[1]}' has {count} parameters; take a structure")
            found += 1
    return found


def sources():
    """Prints each forbidden text in the files that git has, and what is too long of ours; returns their number."""
    named = files()
    found, long_files = 0, []
    for name, text in named:
        lines = text.splitlines()
        if pathlib.Path(name).suffix in (".c", ".h", ".y", ".l", ".cuh", ".cu", ".cpp") and len(lines) > LONG:
            long_files.append((len(lines), name))
            found += name.startswith(OURS)
        if name.startswith("compiler/") and name.endswith((".c", ".h")):
            found += many_parameters(name, text)
        if re.match(r"#!.*\b(ba)?sh\b", text):
            read = subprocess.run(["bash", "-n", str(ROOT / name)], capture_output=True, text=True, check=False)
            print(read.stderr, end="")
            found += read.returncode != 0
        for number, line in enumerate(lines, 1):
            for pattern in (*FORBIDDEN, *([NARROW, ORDERED] if name.startswith("compiler/") else ())):
                match = pattern.search(line)
                if match:
                    print(f"{name}:{number}: '{match[0]}'")
                    found += 1
    for count, name in sorted(long_files, reverse=True):
        print(f"long: {name} has {count} lines")
    print(f"{len(named)} files, {found} findings, {len(long_files)} over {LONG} lines")
    return found


def said(name, text):
    """What a document names as code or links to, and what the comments of a source say: pairs of a line and a text."""
    if name.endswith(".md"):
        text = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)
        pattern = r"`[^`\n]+`|\]\([^)#\s]+"
    elif pathlib.Path(name).suffix in (".c", ".h", ".cpp", ".cu", ".cuh", ".l", ".y", ".tcp"):
        pattern = r"//[^\n]*|/\*.*?\*/"
    else:
        pattern = r"#[^\n]*|\"\"\".*?\"\"\""
    for match in re.finditer(pattern, text, re.S):
        yield text.count("\n", 0, match.start()) + 1, match[0]


def is_there(name, home, everything):
    """Whether "name", in a file of the folder "home", is a file or a folder; without a folder it may be any file's last name."""
    if "/" not in name and name in everything:
        return True
    return any(any(place.glob(name)) for place in (ROOT, home, *(ROOT / folder for folder in ("compiler", "tests", "runtime"))))


def paths():
    """Prints each path that a document or a comment names and that is not there; returns their number."""
    named = files()
    everything = {pathlib.Path(name).name for name, _ in named}
    rooms = sorted(path.name for path in (ROOT / "compiler").iterdir() if path.is_dir())
    tops = sorted({name.split("/")[0] for name, _ in named if "/" in name} - {".ci", ".github"})
    before, after = r"(?<![\w./<>%$*-])", r"(?![\w/*-]|\.\w)"
    inside = re.compile(rf"{before}(?:(?:{'|'.join(tops)})/(?:[\w.*/-]*[\w*/])?|(?:{'|'.join(rooms)})/(?:[\w.*/-]*[\w*]\.\w+|(?:[\w-]+/)*)){after}")
    source = re.compile(rf"{before}(?:[\w-]+/)*[\w-]+\.(?:c|h|cpp|cuh|y|l|py|md|cmake){after}")
    checked = found = 0
    for name, text in named:
        for line, words in said(name, text):
            # A file of the compiler may be named without its folder; elsewhere such a name is often one of an example's.
            for path in {*inside.findall(words), *(source.findall(words) if name.startswith(OURS) or name in PLAIN else ())}:
                if PLACEHOLDER.search(path) or path in TRIED:
                    continue
                checked += 1
                if not is_there(path, (ROOT / name).parent, everything):
                    print(f"{name}:{line}: there is no '{path}'")
                    found += 1
    for name in ROOMS:
        text = (ROOT / name).read_text()
        for room in rooms if named else ():
            if f"`{room}`" not in text:
                print(f"{name}: does not mention compiler/{room}")
                found += 1
    print(f"{checked} paths, {found} findings")
    return found


def words():
    """Prints each keyword that docs/language.md does not list where it belongs, and each other word there; returns their number."""
    scanner, grammar = (ROOT / "compiler/syntax/scan.c").read_text(), (ROOT / "grammar/tcp.y").read_text()
    keywords = dict(re.findall(r'\{"(\w+)", (?:TOK_(\w+)|\'_\')\}', scanner))
    rule = re.search(r"^name:(.*?)^    ;", grammar, re.M | re.S)[1]
    names = set(re.findall(r"\$\$ = build_ident\(\$1, @1\)|\b([A-Z]+) \{", rule)) - {""}
    text = (ROOT / "docs/language.md").read_text()
    lists = re.search(r"These words are reserved.*?\n\n(.*?)\n\n.*?names everywhere else:\n\n(.*?)\n\n", text, re.S)
    found = 0
    for listed, soft in ((lists[1], False), (lists[2], True)):
        want = {word for word, token in keywords.items() if (token in names) == soft}
        for word in sorted(want ^ set(re.findall(r"`(\w+)`", listed))):
            print(f"docs/language.md: '{word}' is {'not listed' if word in want else 'no such word'} among the "
                  f"{'words of one place' if soft else 'reserved words'}")
            found += 1
    print(f"{len(keywords)} keywords, {found} findings")
    return found


def rows():
    """Prints each comparison with a string that the table of copy atoms has; returns their number.  The syntax's are of other languages."""
    table = ROOT / "compiler/plan/atom_rows.c"
    strings = set(re.findall(r'\.(?:name|family|cache) = "([\w.]+)"|MATRIX\("(\w+)"', table.read_text()))
    strings = {text for pair in strings for text in pair if text}
    found = 0
    for path in sorted((ROOT / "compiler").rglob("*.[ch]")):
        if path == table or path.is_relative_to(ROOT / "compiler/syntax"):
            continue
        text = path.read_text()
        for match in re.finditer(r'\b(?:strn?(?:case)?cmp|atom_find|intern)\([^;{}]*?"([\w.]+)"', text):
            if match[1] in strings and "atom_auto(" not in text[match.start() - 120:match.start()]:
                print(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: '{match[1]}' is the table's; ask for a column")
                found += 1
    print(f"{len(strings)} strings, {found} findings")
    return found if len(strings) > 6 else 1


# What prints the plan that it is given, comments included.
ECHOES = re.compile(r"%tcpc (?:[^|>]* )?(?:fmt|--plan)\b(?P<rest>[^|>]*) %s\b(?: -o -)?(?P<then>.*)")


def tests():
    """A FileCheck that reads what prints the test itself finds its own CHECK lines, and can't fail."""
    found = 0
    for path in sorted((ROOT / "tests").rglob("*.tcp")):
        for number, line in enumerate(path.read_bytes().decode("latin1").splitlines(), 1):
            match = ECHOES.search(line) if "RUN:" in line else None
            if not match or "--check" in match["rest"] or "2>&1" in match["then"]:
                continue
            reader = re.match(r"\s*\|\s*%FileCheck", match["then"])
            if reader:
                print(f"{path.relative_to(ROOT)}:{number}: the CHECK lines are in what is checked; take them out by grep -v")
                found += 1
    print(f"{found} tests find their own CHECK lines")
    return found


# Kinds of which CONTRIBUTING.md has a list: where each one is declared, the pattern of its name (without a group: the name of the file),
# and the files that have to name it. Files joined by "+" count as one. Comments of C are left out where a kind is declared.
COMPLETIONS = ("docs/completion/_tcpc", "docs/completion/tcpc.bash", "docs/completion/tcpc.fish")
# functions, constants, and members of structures
OF_LIBRARY = r"^TCPC_API .*?\b(tcpc_\w+)\(|\b(TCPC_[A-Z_]+)(?=[,\n ]*[,}])|(?<=[ *])(\w+)(?=(?:, \*?\w+)*;)"
LISTS = (
    ("view", ("compiler/draw/draw.c",), r'\[DRAW_\w+\] = "(\w+)"',
     ("compiler/driver/draw.c", *COMPLETIONS, "docs/man/tcpc.1", "docs/tiled-copy.md", "tests/draw/formats.tcp", "tests/tools/mutated.py")),
    ("form", ("compiler/planner/*.c",), r"^(?=const struct form form_\w+ = )", ("docs/design.md",)),
    ("command", ("compiler/driver/main.c",), r'\{"(\w+)", command_\w+\}',
     (*COMPLETIONS, "docs/man/tcpc.1", "docs/language.md", "tests/driver/Inputs/flags.py", "tests/driver/help.test")),
    ("atom", ("compiler/plan/atom_rows.c",), r'\.name = "([\w.]+)"', ("docs/language.md",)),
    ("warning", ("compiler/base/warnings.c",), r'\{"([\w-]+)",\s', ("docs/errors.md", "docs/mkdocs.yml")),
    ("architecture", ("compiler/plan/arch.c",), r'"(sm_\w+)"', COMPLETIONS[:2]),
    ("part of the first header", ("tests/lib/older/tcpc.h",), OF_LIBRARY, ("tests/lib/tell.c",)),
    ("part of the library", ("compiler/lib/tcpc.h", "compiler/lib/tcpc_lists.h", "compiler/launch/tcpc_launch.h"), OF_LIBRARY,
     ("tests/lib/data.c+tests/lib/ask.c+tests/lib/launch.c+tests/lib/relayout.c+tests/lib/stack.c+tests/lib/cancel.c+tests/lib/cache.c+tests/lib/trace.c+tests/lib/names.c+tests/lib/example.c+tests/lib/memory.c+tests/lib/threads.c",)),
)
# No test can reach them: a broken compiler.
UNREACHED = {"TCPC_BUG"}


def lists():
    """Prints each name that a list of CONTRIBUTING.md requires in a file, and that is not there; returns their number."""
    checked = found = 0
    for kind, patterns, pattern, readers in LISTS:
        names = set()
        for path in (path for each in patterns for path in ROOT.glob(each)):
            for match in re.finditer(pattern, re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.S), re.M):
                names.add(next(filter(None, match.groups()), path.name))
        if not names:
            print(f"{patterns[0]}: no {kind} is found there any more")
            found += 1
        for reader in readers:
            text = "".join((ROOT / path).read_text() for path in reader.split("+"))
            for name in sorted(names - UNREACHED):
                checked += 1
                if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                    print(f"{reader}: does not name the {kind} '{name}'")
                    found += 1
    print(f"{checked} names, {found} findings")
    return found


def version():
    """Prints each other place that has the version of CMakeLists.txt; returns their number."""
    number = re.search(r"^project\(tcpc VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    found = 0
    if not re.search(rf"^## {re.escape(number)}\b", (ROOT / "CHANGELOG.md").read_text(), re.M):
        print(f"CHANGELOG.md has no heading for {number}")
        found += 1
    for name, text in files():
        place = re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", text)
        if place and name not in ("CMakeLists.txt", "CHANGELOG.md"):
            print(f"{name}:{text.count(chr(10), 0, place.start()) + 1}: has the version {number}")
            found += 1
    print(f"version {number}, {found} findings")
    return found


if __name__ == "__main__":
    if sys.argv[1:] == ["version"]:
        sys.exit(1 if version() else 0)
    if sys.argv[1:2] == ["symbols"]:
        sys.exit(1 if symbols(sys.argv[2:]) else 0)
    if sys.argv[1:] == ["sources"]:
        sys.exit(1 if sources() else 0)
    if sys.argv[1:] == ["tests"]:
        sys.exit(1 if tests() else 0)
    if sys.argv[1:] == ["rows"]:
        sys.exit(1 if rows() else 0)
    if sys.argv[1:] == ["words"]:
        sys.exit(1 if words() else 0)
    if sys.argv[1:] == ["lists"]:
        sys.exit(1 if lists() else 0)
    if sys.argv[1:] == ["paths"]:
        sys.exit(1 if paths() else 0)
    sys.exit(__doc__)
