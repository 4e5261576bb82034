#!/usr/bin/env python3
"""Compares random models with an oracle, in chunks; see run.sh."""
import argparse
import csv
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402
from generate import write_models  # noqa: E402
from recipes.registry import PROFILES  # noqa: E402

CHUNK = 100
# Sets of options that must not change results; a chunk of models gets one of them.
OPTIONS = [[], ["--threads", "3"], ["--target", "x86-64-v3"], [], ["--optimize", "size"], ["--fp", "strict"],
           ["--weights", "string"], ["--target", "x86-64-v4"]]


def verify(onnxc, folders, work, options, extra=()):
    """Status and message by folder."""
    links = os.path.join(work, "links")
    shutil.rmtree(links, ignore_errors=True)
    os.makedirs(links)
    for folder in folders:
        os.symlink(os.path.abspath(folder), os.path.join(links, os.path.basename(folder)))
    report = os.path.join(work, "report.tsv")
    environment = dict(os.environ, CXXFLAGS=os.environ.get("CXXFLAGS", "-O0"))
    subprocess.run([onnxc, "verify", links, "--report", report, "--scaled", "2e-4", *options, *extra],
                   env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(report) as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {os.path.basename(r["path"]): (r["status"], r["message"]) for r in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("onnxc")
    parser.add_argument("work")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--profile", choices=PROFILES)
    o = parser.parse_args()
    failures = os.path.join(o.work, "failures")
    os.makedirs(failures, exist_ok=True)
    log = open(os.path.join(o.work, "log.txt"), "a")
    total = bad = unanswered = 0
    for first in range(o.first, o.first + o.count, CHUNK):
        chunk = os.path.join(o.work, "chunk")
        shutil.rmtree(chunk, ignore_errors=True)
        folders = write_models(o.onnxc, chunk, o.seed, first, min(CHUNK, o.first + o.count - first), o.profile)
        refused = oracle.answer(folders)
        for folder, message in refused.items():
            print("ORT", os.path.basename(folder), message, file=log)
        good = [f for f in folders if f not in refused]
        options = OPTIONS[first // CHUNK % len(OPTIONS)]
        unanswered += len(refused)
        for name, (status, message) in verify(o.onnxc, good, o.work, options, ["--jobs", o.jobs]).items():
            total += 1
            if status != "pass":
                bad += 1
                print(status, name, " ".join(options), message, file=log)
                shutil.copytree(os.path.join(chunk, name), os.path.join(failures, name), dirs_exist_ok=True)
        log.flush()
        print(f"{total} models, {bad} failures, {unanswered} without an answer", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
