"""Where mutants are built and tried: a base, which is the tree as it is, built once, and places, which are copies of it.

A place holds one mutant at a time.  It is built with the commands that ninja has for the one file that is changed: its object,
its library, and the programs that hold it; the next mutant begins with what the base has of these.
"""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = ROOT / "build-mutants"
MODULES = ("driver", "machine", "check", "pass", "prove", "cost", "planner")  # the unit tests whose programs hold the passes
UNITS = {m: [f"test_{m}_{p.stem}" for p in sorted(ROOT.glob(f"tests/unit/{m}/*.c"))] for m in MODULES}
# What the lit tests run besides tcpc.
OTHERS = sorted({name for p in ROOT.glob("tests/*/*") if p.suffix in (".tcp", ".test")
                 for name in re.findall(r"%bin/(\w+)", p.read_text(errors="replace"))})
TARGETS = ["tcpc", "tcp_host", "gen_plans", "random_plans", "random_ways", "random_maps", "every_extent", *OTHERS] + [
    name for names in UNITS.values() for name in names]
# The build folders, and what makes each what it is; quick to build goes before quick to run.
BUILDS = {
    "build": (TARGETS, ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=-w", "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG"]),
    "build-asan": (["tcpc", "tcp_host", "gen_plans", "random_plans", "random_sync"] + UNITS["machine"] + UNITS["check"],
                   ["-DCMAKE_BUILD_TYPE=Debug", "-DTCPC_SANITIZE=ON", "-DCMAKE_C_FLAGS=-w -g0", "-DCMAKE_C_FLAGS_DEBUG=-O1"]),
}
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=0:detect_leaks=0:hard_rss_limit_mb=4000:allocator_may_return_null=0",
    "UBSAN_OPTIONS": "halt_on_error=1",
    "CCACHE_DISABLE": "1",
}
MEMORY = 6 << 30  # bytes that a program may take, where it is not built with the sanitizers
OUTPUT = 256 << 20  # bytes that it may write to a file

# Stands for the C++ compiler: most mutants change little of what is emitted, so that its output is kept by what it reads.
KEEPER = """#!/usr/bin/env bash
key= out= before= words=()
for word; do
    if [ "$before" = -o ]; then
        out=$word
        unset 'words[-1]'
    else
        words+=("$word")
        case $word in
        *.a | *.o) key+=" $(md5sum <"$word")" ;;
        -I*) ;;  # what is read from there is in the text
        *) [ -e "$word" ] || key+=" $word" ;;
        esac
    fi
    before=$word
done
if [ -n "$out" ] && text=$({compiler} -E -P "${{words[@]}}" 2>/dev/null); then
    kept={folder}/$(md5sum <<<"$key $text" | cut -d' ' -f1)
    if [ -e "$kept" ]; then exec cp "$kept" "$out"; fi
fi
{compiler} "$@" || exit
if [ -n "$kept" ]; then cp "$out" "$kept.$$" && mv "$kept.$$" "$kept"; fi
"""


def keep_outputs():
    """Makes compilers that keep their outputs; returns a path for the tests with these in front."""
    folder = HOME / "compilers"
    (folder / "kept").mkdir(parents=True, exist_ok=True)
    for name in ("c++", "g++"):
        compiler = shutil.which(name)
        if compiler and not compiler.startswith(str(folder)):
            (folder / name).write_text(KEEPER.format(folder=folder / "kept", compiler=compiler))
            (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def run(command, cwd, log, seconds, given_up=lambda: False, env=None, memory=None):
    """Runs "command" (a string: of the shell) with its output in the file "log"; the exit status, None when it was ended: the
    time was up, or given_up() told so."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    until = time.monotonic() + seconds
    with open(log, "wb") as out:
        child = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 shell=isinstance(command, str), env={**os.environ, **ENVIRONMENT, **(env or {})},
                                 start_new_session=True, preexec_fn=limits)
        while True:
            try:
                return child.wait(timeout=0.3)
            except subprocess.TimeoutExpired:
                if time.monotonic() > until or given_up():
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
                    return None


class Base:
    """The tree as it is, and the builds of it."""

    def __init__(self):
        self.folder = HOME / "base"
        self.commands = {}

    def prepare(self, builds):
        copy_tree(self.folder)
        for build in builds:
            targets, options = BUILDS[build]
            folder = self.folder / build
            if not (folder / "build.ninja").exists():
                must(["cmake", "-S", str(self.folder), "-B", str(folder), "-G", "Ninja", *options])
            must(["ninja", "-C", str(folder), *targets])
            listed = subprocess.run(["ninja", "-t", "commands", *targets], cwd=folder, check=True, capture_output=True, text=True)
            self.commands[build] = listed.stdout.splitlines()

    def commands_after(self, build, path):
        """The commands that make anew what a change of the file "path" concerns, each with the files that it writes."""
        concerned = {str(self.folder / path)}
        for command in self.commands[build]:
            if concerned.isdisjoint(command.split()):
                continue
            written = re.findall(r" (?:-o|-E rm -f) (\S+)", command)
            concerned.update(written)
            yield command, written


class Place:
    """A copy of the base, and which mutant each of its builds holds."""

    def __init__(self, base, number, path):
        self.base, self.folder = base, HOME / f"place{number}"
        self.path, self.log = path, HOME / f"place{number}.log"
        self.held = dict.fromkeys(BUILDS)
        self.written = {build: [] for build in BUILDS}
        if self.folder.exists():
            shutil.rmtree(self.folder)
        must(["cp", "-a", str(base.folder), str(self.folder)])
        for build in base.commands:
            for name in ("CTestTestfile.cmake", "lit.site.cfg.py"):
                for file in (self.folder / build).rglob(name):
                    file.write_text(file.read_text().replace(str(base.folder), str(self.folder)))

    def same(self, mutant):
        """Whether the optimizer makes of a mutant what it makes of the source: the same object file, byte by byte."""
        build = next(iter(self.base.commands))
        command = next(c for c, _ in self.base.commands_after(build, mutant.path)).replace(str(self.base.folder), str(self.folder))
        written = re.search(r" -o (\S+)", command).group(1)
        other = self.folder / "same.o"
        source = self.folder / mutant.path
        text, objects = source.read_text(), []
        try:
            for changed in (text, mutant.apply(text)):
                source.write_text(changed)
                if run(command.replace(f" -o {written}", f" -O2 -g0 -o {other}"), self.folder / build, self.log, 300) != 0:
                    return False
                objects.append(other.read_bytes())
            return objects[0] == objects[1]
        finally:
            source.write_text(text)

    def hold(self, build, mutant, given_up):
        """Builds a mutant, or for None what the base has; returns whether a compiler takes it."""
        if self.held[build] is mutant:
            return True
        for name in self.written[build]:
            to = self.folder / build / name
            to.unlink(missing_ok=True)
            shutil.copy2(self.base.folder / build / name, to)
        self.held[build], self.written[build] = mutant, []
        if mutant is None:
            return True
        source = self.folder / mutant.path
        text = source.read_text()
        source.write_text(mutant.apply(text))
        try:
            for command, written in self.base.commands_after(build, mutant.path):
                self.written[build] += written
                command = command.replace(str(self.base.folder), str(self.folder))
                if run(command, self.folder / build, self.log, 300, given_up) != 0:
                    self.held[build] = "broken"
                    return False
            return True
        finally:
            source.write_text(text)

    def run(self, step, seconds, given_up):
        return run(step.command, self.folder / step.build, self.log, seconds, given_up, {"PATH": self.path},
                   None if "asan" in step.build else MEMORY)


def must(command):
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"mutants: {' '.join(command)} failed:\n{(done.stdout + done.stderr)[-3000:]}")


def copy_tree(to):
    """Copies what git knows or does not ignore, and only what changed, so that little is built anew."""
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
                           text=True).stdout.split("\0")
    kept = set()
    for name in filter(None, names):
        source, copy = ROOT / name, to / name
        if not source.is_file():
            continue
        kept.add(copy)
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
        shutil.copymode(source, copy)
    for copy in [p for p in to.rglob("*") if p.is_file() and p not in kept and not p.relative_to(to).parts[0].startswith("build")]:
        copy.unlink()
