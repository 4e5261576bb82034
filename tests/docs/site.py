#!/usr/bin/env python3
"""Judges a site that docs/site.py made: links, anchors, resources, markup.

usage: site.py SITE SOURCE
"""
import html.parser
import os
import re
import sys
import urllib.parse

VOID = {"meta", "link", "input", "img", "br", "hr"}


class Reader(html.parser.HTMLParser):
    def __init__(self, name):
        super().__init__()
        self.name, self.open = name, []
        self.ids, self.links, self.resources, self.problems = [], [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes.get("href", ""))
        elif "src" in attributes or "href" in attributes:
            self.resources.append(attributes.get("src") or attributes.get("href"))
        if tag == "img" and not attributes.get("alt"):
            self.problems.append("a picture without words")
        if "style" in attributes or any(a.startswith("on") for a in attributes):
            self.problems.append(f"<{tag}> has a style or a script of its own")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> at line {self.getpos()[0]} closes something else")


def read(folder):
    pages = {}
    for where, _, files in os.walk(folder):
        for file in files:
            if file.endswith(".html"):
                name = os.path.relpath(os.path.join(where, file), folder)
                pages[name] = Reader(name)
                with open(os.path.join(where, file)) as text:
                    pages[name].feed(text.read())
    return pages


def problems_of(page, pages, folder):
    yield from page.problems
    if page.open:
        yield f"never closed: {page.open}"
    for name in {i for i in page.ids if page.ids.count(i) > 1}:
        yield f"two things are called {name}"
    for target in page.resources:
        if re.match(r"(?!data:,$)([a-z]+:|//)", target):
            yield f"loads {target}"
    for target in page.links + [r for r in page.resources if r != "data:,"]:
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        here = os.path.dirname(page.name)
        file = os.path.normpath(os.path.join(here, urllib.parse.unquote(path))) if path else page.name
        if not os.path.isfile(os.path.join(folder, file)) or file.startswith(".."):
            yield f"{target} does not exist"
        elif anchor and anchor not in pages[file].ids:
            yield f"{target} has no such place"


def main(folder, source):
    pages = read(folder)
    problems = [f"{name}: {p}" for name, page in sorted(pages.items()) for p in problems_of(page, pages, folder)]
    # Every page is in the site, and can be reached from the margin.
    for where, _, files in os.walk(os.path.join(source, "docs")):
        for file in files:
            name = os.path.relpath(os.path.join(where, file), source)
            if file.endswith(".md"):
                if name[:-3] + ".html" not in pages:
                    problems.append(f"{name} is not in the site")
                elif name[:-3] + ".html" not in pages["index.html"].links:
                    problems.append(f"{name} is not in the margin")
    for asset in "site.css", "site.js":
        with open(os.path.join(folder, asset)) as file:
            text = file.read()
        if asset == "site.js":
            text = text.split("\n", 1)[1]  # after the words of the pages
        if re.search(r"@import|url\(|https?:|fetch\(|XMLHttpRequest|import\(", text):
            problems.append(f"{asset} loads something")
    print("\n".join(problems) or f"{len(pages)} pages are right")
    return 1 if problems or len(pages) < 20 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
