#!/usr/bin/env python3
"""Whether the workflows of a repository can work: every script, preset and job that they name is there.

usage: workflows.py ROOT
"""
import glob
import json
import os
import re
import shlex
import sys

import yaml

# Programs that the machines of the jobs have, or that a step installs.
PROGRAMS = set("apt-get awk bash brew cd chmod cmake cpack diff find gh git grep node python3 rm tar unzip".split())
problems = []


def complain(where, text):
    problems.append(f"{where}: {text}")


def expand(text, values):
    """The text with the values of a matrix; what only a job knows becomes a word."""
    text = re.sub(r"\$\{\{ *matrix\.(\w+) *\}\}", lambda m: str(values.get(m.group(1), "UNKNOWN")), text)
    return re.sub(r"\$\{\{.*?\}\}", "value", text)


def commands(text):
    """The simple commands of a script, as lists of words, without what is redirected."""
    lexer = shlex.shlex(text.replace("\n", " ; "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = []
    for word in lexer:
        if word in ("&&", "||", ";", "|"):
            yield words
            words = []
        else:
            words.append(word)
    yield words


def check_path(root, where, word, runs):
    path = os.path.join(root, word)
    if word.startswith(("build/", "dist/", "program/", "/")) or "$" in word:
        return
    if not os.path.exists(path):
        complain(where, f"there is no {word}")
    elif runs and not os.access(path, os.X_OK):
        complain(where, f"{word} is not executable")


def check_command(root, where, words):
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words = words[1:]
    if not words:
        return
    program = words[0]
    if "/" in program:
        check_path(root, where, program, True)
    elif program not in PROGRAMS:
        complain(where, f"{program}: not known to be there")
    if program in ("python3", "bash") and len(words) > 1 and not words[1].startswith("-"):
        check_path(root, where, words[1], False)
    if program == "cmake" and "--preset" in words:
        with open(os.path.join(root, "CMakePresets.json"), encoding="utf-8") as file:
            presets = json.load(file)["buildPresets" if "--build" in words else "configurePresets"]
        name = words[words.index("--preset") + 1]
        if name not in [preset["name"] for preset in presets]:
            complain(where, f"there is no preset {name}")


def check_step(root, where, step, values, artifacts):
    if ("run" in step) == ("uses" in step):
        complain(where, "a step has either run or uses")
        return
    if "run" in step:
        for words in commands(expand(step["run"], values)):
            check_command(root, where, words)
        return
    if not re.fullmatch(r"[\w.-]+/[\w./-]+@v\d+", step["uses"]):
        complain(where, f"{step['uses']}: an action has a version")
    kind = re.search(r"/(upload|download)-artifact@", step["uses"])
    if kind:
        artifacts[kind.group(1)].add(expand(step["with"]["name"], values))


def check_matrix(where, job, text):
    for values in job.get("strategy", {}).get("matrix", {}).get("include", [{}]):
        for name in re.findall(r"\$\{\{ *matrix\.(\w+)", text):
            if name not in values:
                complain(where, f"the matrix has no {name} in {values}")
        yield values


def check_workflow(root, path):
    with open(path, encoding="utf-8") as file:
        tree = yaml.safe_load(file)
    artifacts = {"upload": set(), "download": set()}
    name = os.path.basename(path)
    if True not in tree:  # `on` is a truth value in YAML 1.1
        complain(name, "no events")
    for job_name, job in tree["jobs"].items():
        where = f"{name}: {job_name}"
        needs = job.get("needs", [])
        for needed in [needs] if isinstance(needs, str) else needs:
            if needed not in tree["jobs"]:
                complain(where, f"there is no job {needed}")
        for values in check_matrix(where, job, json.dumps(job)):
            if expand(job["runs-on"], values) in ("", "UNKNOWN"):
                complain(where, "runs nowhere")
            for step in job["steps"]:
                check_step(root, where, step, values, artifacts)
    for missing in artifacts["download"] - artifacts["upload"]:
        complain(name, f"no job uploads {missing}")


def main(root):
    paths = sorted(glob.glob(os.path.join(root, ".github/workflows/*.yml")))
    for path in paths:
        check_workflow(root, path)
    sys.exit("\n".join(problems) if problems else 0 if paths else "no workflows")


if __name__ == "__main__":
    main(sys.argv[1])
