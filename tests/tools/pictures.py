"""Compares the drawings in a folder with what `tcpc draw` makes now, or draws them anew; looks whether each is a good SVG.

usage: pictures.py [--write] [--tcpc TCPC] [--in FOLDER] FOLDER

FOLDER has a file `commands` with lines `FILE: ARGUMENTS`: tcpc runs with ARGUMENTS in the folder --in (default: FOLDER), and its
standard output is FOLDER/FILE, byte for byte.  A good SVG is well-formed (xmllint says so, where it is), lies in its viewBox,
takes nothing from outside, and its texts stand out from what they stand on, on light and on dark pages.
"""

import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
CONTRAST = 4.5  # WCAG 2, level AA


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def colours(style):
    """The fill of each class in 'style'."""
    return dict(re.findall(r"\.(\w+)\{fill:(#[0-9a-f]{6})\}", style))


def check_contrast(style):
    """Yields what is hard to read with the classes of 'style': 't' stands on all, 'm' and 'b' on the page."""
    fill = colours(style)
    for name, shade in fill.items():
        if name[0] == "k" and contrast(fill["t"], shade) < CONTRAST:
            yield f"text {fill['t']} on {shade} has contrast {contrast(fill['t'], shade):.1f}"
    for name in "tbm":
        if contrast(fill[name], fill["p"]) < CONTRAST:
            yield f"class '{name}' on the page has contrast {contrast(fill[name], fill['p']):.1f}"


def points(path):
    """Yields the corners that the path data 'path' goes through: M l h v z with integers."""
    x = y = 0
    for command, rest in re.findall(r"([Mlhvz])([-\d ]*)", path):
        numbers = [int(n) for n in re.findall(r"-?\d+", rest)]
        if command == "M":
            x, y = numbers
        elif command == "l":
            x, y = x + numbers[0], y + numbers[1]
        elif command == "h":
            x += numbers[0]
        elif command == "v":
            y += numbers[0]
        yield x, y


def text_points(element, anchor, size):
    """Yields the corners of the box of a text of 'size' pixels, each character 0.6 of them wide."""
    width = len(element.text) * 0.6 * size
    before = {"start": 0, "middle": width / 2, "end": width}[anchor]
    turned = re.match(r"translate\((\d+) (\d+)\)rotate\(-90\)", element.get("transform", ""))
    if turned:
        x, y = int(turned[1]), int(turned[2])
        return [(x - size * 5 / 6, y - width + before), (x + size / 4, y + before)]
    x, y = int(element.get("x")), int(element.get("y"))
    return [(x - before, y - size * 5 / 6), (x - before + width, y + size / 4)]


def check_svg(path):
    """Yields what is wrong with the SVG at 'path'."""
    text = path.read_text()
    try:
        tree = ET.fromstring(text)
    except ET.ParseError as error:
        yield f"it is no XML: {error}"
        return
    width, height = (int(n) for n in tree.get("viewBox").split()[2:])
    if re.search(r"href|@import|<script|https?://(?!www\.w3\.org/2000/svg\")", text):
        yield "it takes something from outside"
    light, dark = tree.find(f"{SVG}style").text.split("@media (prefers-color-scheme:dark)")
    for name, style in (("light", light), ("dark", dark)):
        for problem in check_contrast(style):
            yield f"{name}: {problem}"
    corners = [corner for element in tree.findall(f"{SVG}path") for corner in points(element.get("d"))]
    for group in tree.iter(f"{SVG}g"):
        for element in group:
            corners += text_points(element, group.get("text-anchor", "start"), int(group.get("font-size", "12")))
    outside = [(x, y) for x, y in corners if not (0 <= x <= width and 0 <= y <= height)]
    if outside:
        yield f"{len(outside)} points lie outside of its {width} x {height}, the first at {outside[0]}"
    if shutil.which("xmllint"):
        ran = subprocess.run(["xmllint", "--noout", path], capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            yield ran.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tcpc", default=ROOT / "build/bin/tcpc", type=pathlib.Path)
    parser.add_argument("--in", dest="where", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    count, problems = 0, []
    for line in (options.folder / "commands").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, _, arguments = line.partition(":")
        path = options.folder / name
        ran = subprocess.run([options.tcpc.resolve(), *shlex.split(arguments)], cwd=options.where or options.folder,
                             capture_output=True, check=False)
        count += 1
        if ran.returncode != 0:
            problems.append(f"{name}: tcpc{arguments}: exit status {ran.returncode}\n{ran.stderr.decode()}")
            continue
        if options.write:
            path.write_bytes(ran.stdout)
        if not path.exists() or path.read_bytes() != ran.stdout:
            problems.append(f"{name}: is not what tcpc{arguments} draws; ./dev golden draws it anew")
        if path.exists():
            problems += [f"{name}: {problem}" for problem in check_svg(path)]
    stray = {path.name for path in options.folder.glob("*.svg")} - {line.partition(":")[0] for line in
                                                                    (options.folder / "commands").read_text().splitlines()}
    problems += [f"{name}: no line of commands draws it" for name in sorted(stray)]
    print("\n".join([*problems, f"{count} drawings, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
