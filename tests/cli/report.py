#!/usr/bin/env python3
"""Checks a JSON report: places, lifetimes and sums agree with each other.

usage: report.py REPORT.json    with a page: report.py REPORT.json PAGE_DOM.html
"""
import html
import json
import re
import sys


def functions(report):
    yield report
    yield from report.get("training", {}).get("functions", [])


def size(tensor):
    return tensor["bytes"] if isinstance(tensor["bytes"], int) else tensor["most_bytes"]


def check_tensors(part):
    regions = {r["name"]: r["bytes"] for r in part["memory"].get("regions", [])}
    for t in part["tensors"]:
        assert 0 <= t["first_step"] <= t["last_step"] < len(part["steps"]), t
        if "offset" in t:
            assert t["offset"] + size(t) <= regions.get(t.get("region"), part["memory"]["arena_bytes"]), t


def check_uses(part):
    """Every step is within the lifetimes of what it uses."""
    for i, step in enumerate(part["steps"]):
        for k in step["reads"] + step["writes"]:
            assert part["tensors"][k]["first_step"] <= i <= part["tensors"][k]["last_step"], (i, k)


def check_peak(part):
    """At the peak as much is in use as the arena is large, but for alignment and gaps."""
    if not part["memory"]["arena_bytes"] or part["memory"].get("regions"):
        return
    peak = part["memory"]["peak_step"]
    alive = [t for t in part["tensors"] if "offset" in t and t["first_step"] <= peak <= t["last_step"]]
    top = max(t["offset"] + size(t) for t in alive)
    gaps = part["memory"]["alignment"] * len(alive)
    assert part["memory"]["lower_bound_bytes"] - gaps <= top <= part["memory"]["arena_bytes"], (top, part["memory"])


def check_work(part):
    if isinstance(part["macs"], int):
        assert part["macs"] == sum(s.get("macs", 0) for s in part["steps"])


def check_page(report, dom):
    """The page shows one row for every call, with its work, and the picture of the plan."""
    text = html.unescape(re.sub(r"<[^>]*>", "\n", dom.split('<script type="application/json"')[0]))
    for part in functions(report):
        calls = [s for s in part["steps"] if s["kind"] == "call"]
        for step in calls:
            assert step["work"] in text, step
        if part["memory"]["arena_bytes"]:
            assert 'aria-label="memory plan"' in dom
    rects = sum("offset" in t for part in functions(report) for t in part["tensors"])
    assert dom.count('class="tensor"') == rects, (dom.count('class="tensor"'), rects)


def main():
    report = json.load(open(sys.argv[1]))
    assert report["schema"] == 2
    for part in functions(report):
        check_tensors(part)
        check_uses(part)
        check_peak(part)
        check_work(part)
    if len(sys.argv) > 2:
        check_page(report, open(sys.argv[2]).read())


main()
