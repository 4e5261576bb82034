#!/usr/bin/env python3
"""The steps of the action: checks models, or compares them with those of another commit.

usage: models.py check | compare

Reads the environment: ONNXC, MODELS (patterns, one a line), OPTIONS; check: FLASH_LIMIT, RAM_LIMIT; compare: BASE,
COMMENT, PULL_REQUEST. Writes annotations to stdout and tables to the file GITHUB_STEP_SUMMARY.
"""
import glob
import json
import os
import shlex
import subprocess
import sys
import tempfile

MARK = "<!-- onnxc -->"  # the first line of the comment that later runs replace


def setting(name, default=""):
    return os.environ.get(name) or default


def models():
    patterns = [p.strip() for p in setting("MODELS").splitlines() if p.strip()]
    found = sorted({f for p in patterns for f in glob.glob(p, recursive=True) if os.path.isfile(f)})
    if not found:
        annotate("error", "", "no model matches " + " ".join(patterns))
        sys.exit(1)
    return found


def escape(text, more=""):
    for c in "%\r\n" + more:
        text = text.replace(c, f"%{ord(c):02X}")
    return text


def annotate(level, model, text):
    where = f" file={escape(model, ':,')}" if model else ""
    print(f"::{level}{where}::{escape(text)}", flush=True)


def summarise(text):
    with open(setting("GITHUB_STEP_SUMMARY", os.devnull), "a") as file:
        file.write(text + "\n")


def onnxc(*words):
    return subprocess.run([setting("ONNXC", "onnxc"), *words, *shlex.split(setting("OPTIONS"))],
                          capture_output=True, text=True)


def kib(size):
    return f"{size / 1024:.1f} KiB"


def sizes(model):
    """Cells of the table: flash, RAM, work."""
    run = onnxc("inspect", model, "--json")
    if run.returncode != 0:
        return "", "", ""
    facts = json.loads(run.stdout)
    if "code_bytes" not in facts:
        return "", "", ""
    about = "" if facts["code_measured"] else "about "
    heap = ", and a heap" if facts["heap"] != "none" else ""
    macs = facts["macs"] if isinstance(facts["macs"], str) else f"{facts['macs']:,} MAC"
    return about + kib(facts["code_bytes"] + facts["weight_bytes"]), kib(facts["arena_bytes"]) + heap, macs


def limits():
    words = []
    for option, name in ("--flash-limit", "FLASH_LIMIT"), ("--ram-limit", "RAM_LIMIT"):
        if setting(name):
            words += [option, setting(name)]
    return words


def check():
    rows, wrong = [], 0
    for model in models():
        run = onnxc("check", model, "--json", *limits())
        try:
            result = json.loads(run.stdout)
        except ValueError:
            result = {"ok": False, "errors": 1, "diagnostics": []}
            annotate("error", model, run.stderr.strip() or f"onnxc ends with {run.returncode}")
        for d in result["diagnostics"]:
            level = {"error": "error", "warning": "warning"}.get(d["level"], "notice")
            annotate(level, model, ": ".join(t for t in (d["id"], d["where"], d["message"]) if t))
        wrong += run.returncode != 0
        state = "ok" if run.returncode == 0 else f"{result['errors']} errors"
        rows.append("| " + " | ".join((f"`{model}`", state, *sizes(model))) + " |")
    summarise("### Models\n\n| model | check | flash | RAM | work |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n")
    return 1 if wrong else 0


def git(*words, **options):
    return subprocess.run(["git", *words], capture_output=True, text=True, **options)


def same(a, b):
    with open(a, "rb") as left, open(b, "rb") as right:
        return left.read() == right.read()


def difference(model, old):
    """What the comment says about a model, or nothing."""
    if not os.path.isfile(old):
        return f"`{model}` is new.\n"
    if same(old, model):
        return ""
    run = onnxc("report", "diff", old, model)
    text = run.stdout if run.returncode == 0 else run.stderr
    return f"`{model}`\n\n```text\n{text.rstrip()}\n```\n"


def post(text):
    """Makes the comment, or replaces that of an earlier run."""
    repository, number = setting("GITHUB_REPOSITORY"), setting("PULL_REQUEST")
    comments = f"repos/{repository}/issues/{number}/comments"
    jq = f'.[] | select(.body | startswith("{MARK}")) | .id'
    found = subprocess.run(["gh", "api", "--paginate", comments, "--jq", jq], capture_output=True, text=True)
    old = found.stdout.split()
    where = ["--method", "PATCH", f"repos/{repository}/issues/comments/{old[0]}"] if old else [comments]
    sent = subprocess.run(["gh", "api", *where, "--field", "body=@-"], input=MARK + "\n" + text,
                          capture_output=True, text=True)
    if sent.returncode != 0:  # pull requests from forks may not comment
        annotate("warning", "", "the comment could not be made: " + sent.stderr.strip())


def compare():
    base = setting("BASE")
    if git("cat-file", "-e", base + "^{commit}").returncode != 0:
        git("fetch", "--depth=1", "origin", base)
    with tempfile.TemporaryDirectory() as folder:
        old = os.path.join(folder, "base")
        added = git("worktree", "add", "--detach", old, base)
        if added.returncode != 0:
            annotate("warning", "", f"the commit {base} is not there: " + added.stderr.strip())
            return 0
        try:
            texts = [t for t in (difference(m, os.path.join(old, m)) for m in models()) if t]
        finally:
            git("worktree", "remove", "--force", old)
    text = "### What changes in the models\n\n" + ("\n".join(texts) or "Nothing.\n")
    summarise(text)
    if setting("COMMENT") == "true" and setting("PULL_REQUEST") and texts:
        post(text)
    return 0


if __name__ == "__main__":
    commands = {"check": check, "compare": compare}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    sys.exit(commands[sys.argv[1]]())
