"""The documents as a site: what belongs to it, and whether its links lead anywhere.

usage: site.py links           each link from README.md on leads to a file, and to a heading of it; each page of docs/ is reached, and
                               stands in docs/mkdocs.yml
       site.py stage FOLDER    copies into FOLDER what is reached: MkDocs makes the site of that (`./dev docs`)
       site.py from-disk FOLDER  changes the search of the site in FOLDER: a browser allows it no worker where pages are opened from the disk, so
                               that it hides itself there
       site.py built FOLDER    each link of the pages in FOLDER leads to a file of it, and nothing is loaded from elsewhere
"""

import html.parser
import os
import pathlib
import re
import shutil
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
LINK = re.compile(r"(\]\()([^)\s]+)(\))|((?:src|href)=\")([^\"]+)(\")")


def slug(heading):
    """The anchor of a heading, as GitHub and MkDocs make it."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def anchors(page):
    """The anchors of the document 'page'."""
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.M)}


def target(page, link):
    """The file of the tree that 'link' of 'page' names, and the anchor; None for an address."""
    if re.match(r"[a-z]+:", link):
        return None, ""
    path, _, anchor = link.partition("#")
    file = (page.parent / path).resolve() if path else page
    if file.is_dir() and (file / "README.md").is_file():
        file = file / "README.md"
    return file, anchor


def reached(problems, root=ROOT):
    """All files that links lead to, from README.md on."""
    start = [root / "README.md", root / "CONTRIBUTING.md"]
    files, open_pages = set(start), list(start)
    while open_pages:
        page = open_pages.pop()
        for match in LINK.finditer(FENCE.sub("", page.read_text())):
            link = match[2] or match[5]
            file, anchor = target(page, link)
            if not file:
                continue
            if not file.is_file():
                problems.append(f"{page.relative_to(root)}: the link '{link}' is broken")
                continue
            if anchor and anchor not in anchors(file):
                problems.append(f"{page.relative_to(root)}: '{link}': there is no such heading")
            if file not in files:
                files.add(file)
                if file.suffix == ".md":
                    open_pages.append(file)
    return files


def links():
    problems = []
    files = reached(problems)
    listed = (ROOT / "docs/mkdocs.yml").read_text()
    for page in sorted((ROOT / "docs").glob("**/*.md")):
        name = page.relative_to(ROOT).as_posix()
        if page not in files:
            problems.append(f"{name} is not reached from README.md")
        if not re.search(rf": {re.escape(name)}$", listed, re.M):
            problems.append(f"{name} does not stand in docs/mkdocs.yml")
    for name in re.findall(r": ([\w./-]+\.md)$", listed, re.M):
        if not (ROOT / name).is_file():
            problems.append(f"docs/mkdocs.yml: {name} is not there")
    return problems, len(files)


def stage(folder):
    problems = []
    files = reached(problems) | {ROOT / "docs/site.css"}
    for file in sorted(files):
        to = folder / file.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix != ".md":
            shutil.copyfile(file, to)
            continue

        def to_file(match, page=file):
            before, link, after = (match[1], match[2], match[3]) if match[2] else (match[4], match[5], match[6])
            found, anchor = target(page, link)
            if found and found.is_file() and "#" != link[0]:
                link = os.path.relpath(found, page.parent) + (f"#{anchor}" if anchor else "")
            return before + link + after

        # what stands behind the language of a block is for doc_examples.py
        text = re.sub(r"^(```\w+) .*$", r"\1", file.read_text(), flags=re.M)
        to.write_text(LINK.sub(to_file, text))
    return problems, len(files)


class Page(html.parser.HTMLParser):
    """The links of a page, and what it loads."""

    def __init__(self):
        super().__init__()
        self.names, self.links, self.loads = set(), [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names.add(values.get("id"))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        for key in ("src", "href"):
            if tag in ("script", "link", "img") and values.get(key):
                self.loads.append(values[key])


# The search of MkDocs, where it begins its worker.
WORKER = "\nif (!window.Worker) {"
FROM_DISK = "\nif (location.protocol === 'file:') {\n  document.querySelectorAll('[role=\"search\"]').forEach(function (e) { e.hidden = true; });\n} else " + WORKER.lstrip()


def from_disk(folder):
    script = folder / "search/main.js"
    text = script.read_text()
    if text.count(WORKER) != 1:
        return [f"{script}: it begins no worker"], 1
    script.write_text(text.replace(WORKER, FROM_DISK))
    return [], 1


def built(folder):
    pages, problems = {}, []
    for file in sorted(folder.glob("**/*.html")):
        pages[file.resolve()] = Page()
        pages[file.resolve()].feed(file.read_text())
    for file, page in pages.items():
        name = file.relative_to(folder.resolve())
        if name.name == "404.html":
            continue
        for link in page.links + page.loads:
            if re.match(r"[a-z]+:|//", link):
                if link in page.loads:
                    problems.append(f"{name}: loads {link}")
                continue
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            to = (file.parent / path).resolve() if path else file
            if not to.is_file():
                problems.append(f"{name}: the link '{link}' is broken")
            elif anchor and to in pages and anchor not in pages[to].names:
                problems.append(f"{name}: '{link}': there is no such heading")
    return problems, len(pages)


def main(what, *folder):
    work = {"links": links, "stage": stage, "from-disk": from_disk, "built": built}[what]
    problems, count = work(*map(pathlib.Path, folder))
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
