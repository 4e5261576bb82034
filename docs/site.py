#!/usr/bin/env python3
"""The pages of the project as a static site: HTML, one style, a search without a server.

usage: site.py FOLDER [MODULE]     writes the site there; FOLDER must not exist, or hold an earlier site

MODULE is the folder of the compiler for WebAssembly, as docs/playground/build.sh takes it; without it the playground says
that it has no compiler. Needs nothing but Python 3. Pages are README.md and the other pages of the root, and all below docs/; other files that pages
link to are copied. A link that leads nowhere ends the program with 1.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ASSETS = ("site.css", "site.js")  # next to this program
PLAYGROUND = os.path.join("docs", "playground")

# The order of the pages in the margin. What is not named here follows at the end of the group of its folder.
GROUPS = [
    ("Start", ["README.md", "docs/README.md", "docs/playground/README.md", "docs/faq.md", "CHANGELOG.md"]),
    ("Tutorials", ["docs/tutorials/pytorch.md", "docs/tutorials/tensorflow.md", "docs/tutorials/scikit-learn.md",
                   "docs/tutorials/quantised.md", "docs/tutorials/dynamic-batch.md", "docs/tutorials/streaming.md",
                   "docs/tutorials/server.md", "docs/firmware.md"]),
    ("Guides", ["docs/cmake.md", "docs/cross-compiling.md", "docs/python.md", "docs/tokenizers.md", "docs/training.md",
                "docs/devices.md", "docs/own-operators.md", "docs/continuous-integration.md"]),
    ("Reference", ["docs/command-line.md", "docs/generated-interface.md", "docs/report.md", "docs/json.md",
                   "docs/diagnostics.md", "docs/OPERATORS.md", "docs/gradients.md", "docs/ACCURACY.md", "docs/VALUES.md", "docs/versioning.md"]),
    ("Development", ["CONTRIBUTING.md", "ARCHITECTURE.md", "docs/kernels.md", "docs/cases.md", "SECURITY.md"]),
]
DECISIONS = "Decisions"


def find_pages():
    pages = [f for f in sorted(os.listdir(ROOT)) if f.endswith(".md")]
    for folder, _, files in os.walk(os.path.join(ROOT, "docs")):
        pages += [os.path.relpath(os.path.join(folder, f), ROOT) for f in files if f.endswith(".md")]
    return sorted(pages)


def groups_of(pages):
    groups = [(name, [p for p in listed if p in pages]) for name, listed in GROUPS]
    known = {p for _, listed in groups for p in listed}
    more = {"docs/tutorials": "Tutorials", "docs": "Reference", "": "Development"}
    groups.append((DECISIONS, [p for p in pages if p.startswith("docs/decisions/")]))
    for page in pages:
        name = more.get(os.path.dirname(page))
        if page not in known and name:
            next(listed for group, listed in groups if group == name).append(page)
    return groups


def target_of(page):
    return "index.html" if page == "README.md" else page[:-3] + ".html"


def slug(text, used):
    """The anchor of a heading, as the hosts of repositories make it."""
    base = re.sub(r"[^\w\- ]", "", re.sub(r"`|\[([^\]]*)\]\([^)]*\)", r"\1", text).strip().lower()).replace(" ", "-")
    name, n = base, 0
    while name in used:
        n += 1
        name = f"{base}-{n}"
    used.add(name)
    return name


class Page:
    """One page: its HTML, its sections for the search, its links."""

    def __init__(self, name, text, site):
        self.name, self.site = name, site
        self.anchors, self.sections, self.links = set(), [], []
        self.title = name
        self.body = self.blocks(text.splitlines())

    # ---- lines to blocks

    def blocks(self, lines):
        out, at = [], 0
        while at < len(lines):
            for reader in (self.blank, self.fence, self.heading, self.table, self.items, self.indented):
                found = reader(lines, at)
                if found:
                    break
            else:
                found = self.paragraph(lines, at)
            text, at = found
            out.append(text)
        return "\n".join(t for t in out if t)

    def blank(self, lines, at):
        return None if lines[at].strip() else ("", at + 1)

    def fence(self, lines, at):
        if not lines[at].startswith("```"):
            return None
        end = next((i for i in range(at + 1, len(lines)) if lines[i].startswith("```")), len(lines))
        return self.code(lines[at + 1:end]), end + 1

    def indented(self, lines, at):
        if not lines[at].startswith("    "):
            return None
        end = at
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        return self.code("\n".join(line[4:] for line in lines[at:end]).rstrip().split("\n")), end

    def code(self, lines):
        self.add_words(" ".join(lines))
        return "<pre><code>" + html.escape("\n".join(lines), quote=False) + "\n</code></pre>"

    def heading(self, lines, at):
        match = re.match(r"(#{1,6}) +(.*)", lines[at])
        if not match:
            return None
        level, text = len(match.group(1)), match.group(2)
        anchor = slug(text, self.anchors)
        plain = self.plain(text)
        if level == 1:
            self.title = plain
        self.sections.append([plain, "" if level == 1 else anchor, []])
        mark = "" if level == 1 else f' <a class="anchor" href="#{anchor}" aria-label="link to this section">#</a>'
        return f'<h{level} id="{anchor}">{self.inline(text)}{mark}</h{level}>', at + 1

    def table(self, lines, at):
        if not lines[at].startswith("|") or at + 1 == len(lines) or not re.match(r"\|[ :|-]+\|?$", lines[at + 1]):
            return None
        end = at
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        rows = [self.cells(line) for line in lines[at:end]]
        head = "".join(f"<th>{self.inline(c)}</th>" for c in rows[0])
        body = "\n".join("<tr>" + "".join(f"<td>{self.inline(c)}</td>" for c in row) + "</tr>" for row in rows[2:])
        self.add_words(" ".join(self.plain(c) for row in rows[:1] + rows[2:] for c in row))
        head = f"<thead><tr>{head}</tr></thead>\n" if any(rows[0]) else ""
        return f'<div class="table"><table>\n{head}<tbody>\n{body}\n</tbody>\n</table></div>', end

    @staticmethod
    def cells(line):
        line = line.strip()[1:]
        line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
        return [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)]

    ITEM = re.compile(r"( {0,3})([-*]|\d+\.) +(?=\S)")

    def items(self, lines, at):
        first = self.ITEM.match(lines[at])
        if not first:
            return None
        tag = "ul" if first.group(2) in "-*" else "ol"
        items, loose = [], False
        while at < len(lines):
            match = self.ITEM.match(lines[at])
            if not match or (match.group(2) in "-*") != (tag == "ul"):
                break
            text, at, blank = self.item(lines, at, len(match.group(0)))
            loose |= blank
            items.append(text)
        inner = [self.blocks(text) for text in items]
        if not loose:
            inner = [re.sub(r"^<p>(.*?)</p>", r"\1", text, flags=re.S) for text in inner]
        return f"<{tag}>\n" + "\n".join(f"<li>{text}</li>" for text in inner) + f"\n</{tag}>", at

    def item(self, lines, at, width):
        """The lines of an item, where the next begins, and whether a blank line divides it."""
        text, blank = [lines[at][width:]], False
        at += 1
        while at < len(lines):
            line = lines[at]
            if not line.strip():
                after = next((i for i in range(at, len(lines)) if lines[i].strip()), len(lines))
                if after == len(lines) or not lines[after].startswith(" " * min(width, 2)):
                    return text, after, blank
                blank = True
            elif line.startswith(" " * width):
                line = line[width:]
            elif line.startswith("  "):
                line = line.lstrip()
            elif self.ITEM.match(line) or line.startswith(("```", "#", "|")) or not text[-1].strip():
                return text, at, blank
            text.append(line)
            at += 1
        return text, at, blank

    def paragraph(self, lines, at):
        end = at + 1
        while end < len(lines) and lines[end].strip() and not lines[end].startswith(("```", "#", "|")) \
                and not self.ITEM.match(lines[end]):
            end += 1
        text = "\n".join(line.strip() for line in lines[at:end])
        self.add_words(self.plain(text))
        return f"<p>{self.inline(text)}</p>", end

    # ---- text

    def add_words(self, text):
        if not self.sections:
            self.sections.append([self.title, "", []])
        self.sections[-1][2].append(text)

    @staticmethod
    def plain(text):
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
        return re.sub(r"`|\*\*", "", text).replace("\n", " ")

    def inline(self, text):
        kept = []

        def keep(markup):
            kept.append(markup)
            return f"\0{len(kept) - 1}\0"

        text = re.sub(r"(`+)(.+?)\1", lambda m: keep(f"<code>{html.escape(m.group(2).strip(), quote=False)}</code>"), text,
                      flags=re.S)
        text = re.sub(r"\\([\\`*_{}\[\]()#+.!|<>-])", lambda m: keep(html.escape(m.group(1))), text)
        text = html.escape(text, quote=False)
        text = re.sub(r"!\[([^\]]*)\]\(([^)]*)\)", lambda m: keep(self.image(m.group(1), m.group(2))), text)
        text = re.sub(r"\[([^\]]*)\]\(([^)]*)\)",
                      lambda m: keep(f'<a href="{self.link(m.group(2))}">') + m.group(1) + keep("</a>"), text)
        text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text, flags=re.S)
        text = re.sub(r"(?<![\w*])\*(\S(?:.*?\S)?)\*(?![\w*])", r"<em>\1</em>", text, flags=re.S)
        while "\0" in text:
            text = re.sub("\0(\\d+)\0", lambda m: kept[int(m.group(1))], text)
        return text

    def image(self, words, target):
        return f'<img src="{self.link(target)}" alt="{html.escape(words)}">'

    def link(self, target):
        """The address in the site of what a page links to."""
        if re.match(r"[a-z]+:", target):
            return html.escape(target)
        path, _, anchor = target.partition("#")
        file = self.name if not path else os.path.normpath(os.path.join(os.path.dirname(self.name), path))
        if os.path.isdir(os.path.join(ROOT, file)):
            file = self.site.page_of_folder(file)
        self.links.append((file, anchor, target))
        there = target_of(file) if file in self.site.names else file
        here = os.path.relpath(there, os.path.dirname(target_of(self.name)) or ".")
        return html.escape(("" if not path else here) + ("#" + anchor if anchor else ""))


class Site:
    def __init__(self):
        self.names = find_pages()
        self.folders = {}
        self.pages = {}
        for name in list(self.names):
            with open(os.path.join(ROOT, name)) as file:
                self.pages[name] = Page(name, file.read(), self)
        for folder, name in self.folders.items():
            self.pages[name] = Page(name, self.list_of(folder), self)

    def page_of_folder(self, folder):
        """A list of the pages in a folder that has no page of its own."""
        own = os.path.join(folder, "README.md")
        if own in self.names:
            return own
        name = os.path.join(folder, "index.md")
        self.folders[folder] = name
        if name not in self.names:
            self.names.append(name)
        return name

    def list_of(self, folder):
        pages = [n for n in sorted(self.pages) if os.path.dirname(n) == folder]
        return "# " + os.path.basename(folder).capitalize() + "\n\n" + "".join(
            f"- [{self.pages[n].title}]({os.path.basename(n)})\n" for n in pages)

    def problems(self):
        for name, page in self.pages.items():
            for file, anchor, target in page.links:
                if not os.path.isfile(os.path.join(ROOT, file)) and file not in self.pages:
                    yield f"{name}: {target} does not exist"
                elif anchor and file in self.pages and anchor not in self.pages[file].anchors:
                    yield f"{name}: {target}: there is no such section"

    def margin(self, name):
        out = []
        for group, pages in groups_of(sorted(self.pages)):
            links = "".join(f'<li><a href="{self.address(name, p)}"{" aria-current=page" if p == name else ""}>'
                            f"{html.escape(self.pages[p].title)}</a></li>" for p in pages)
            here = name in pages or group not in (DECISIONS,)
            out.append(f"<details{' open' if here else ''}><summary>{group}</summary><ul>{links}</ul></details>")
        return "\n".join(out)

    def address(self, name, other):
        return os.path.relpath(target_of(other), os.path.dirname(target_of(name)) or ".")

    def document(self, name):
        page = self.pages[name]
        root = os.path.relpath(".", os.path.dirname(target_of(name)) or ".")
        title = page.title if page.title == "onnxc" else f"{page.title} - onnxc"
        return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<link rel="stylesheet" href="{root}/site.css">
<link rel="icon" href="data:,">
</head>
<body data-root="{root}">
<header><a class="home" href="{self.address(name, "README.md")}">onnxc</a>
<input type="search" id="search" placeholder="Search ( / )" aria-label="Search" autocomplete="off"></header>
<div id="found" hidden></div>
<div class="page">
<nav>{self.margin(name)}</nav>
<main>
{page.body}
</main>
</div>
<script src="{root}/site.js"></script>
</body>
</html>
"""

    def index(self):
        """For the search: page, anchor, title of the page, title of the section, words."""
        entries = []
        for name in sorted(self.pages):
            page = self.pages[name]
            for title, anchor, words in page.sections:
                text = re.sub(r"\s+", " ", " ".join(words)).strip()
                entries.append([target_of(name), anchor, page.title, title, text])
        return "const pages = " + json.dumps(entries, separators=(",", ":")) + ";\n"

    @staticmethod
    def write_playground(folder, module):
        source, there = os.path.join(ROOT, PLAYGROUND), os.path.join(folder, PLAYGROUND)
        os.makedirs(there, exist_ok=True)
        if module:
            subprocess.run([os.path.join(source, "build.sh"), there, module], check=True)
        else:
            files = [f for f in os.listdir(source) if f.endswith((".html", ".css", ".js"))]
            for file in [os.path.join(source, f) for f in files] + [os.path.join(ROOT, "docs", "site.css")]:
                shutil.copy(file, there)
        page = os.path.join(there, "index.html")
        with open(page) as file:
            text = file.read()
        with open(page, "w") as file:
            file.write(text.replace('<span class="home">onnxc</span>', '<a class="home" href="../../index.html">onnxc</a>'))

    def write(self, folder):
        for name in self.pages:
            path = os.path.join(folder, target_of(name))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(self.document(name))
        for file in {f for page in self.pages.values() for f, _, _ in page.links if f not in self.pages}:
            path = os.path.join(folder, file)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, file), path)
        for asset in ASSETS:
            with open(os.path.join(ROOT, "docs", asset)) as file:
                text = file.read()
            with open(os.path.join(folder, asset), "w") as file:
                file.write((self.index() if asset == "site.js" else "") + text)


def main(folder, module=None):
    if os.path.exists(folder):
        if os.listdir(folder) and not os.path.isfile(os.path.join(folder, "site.js")):
            sys.exit(f"{folder} holds something else than a site")
        shutil.rmtree(folder)
    site = Site()
    problems = list(site.problems())
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    os.makedirs(folder)
    site.write(folder)
    if os.path.isdir(os.path.join(ROOT, PLAYGROUND)):
        site.write_playground(folder, module)
    print(f"{len(site.pages)} pages in {folder}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
