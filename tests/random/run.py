#!/usr/bin/env python3
"""Compares random models with an oracle, in chunks, and shrinks what fails; see run.sh."""
import argparse
import csv
import glob
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import oracle  # noqa: E402
from merge import merge_all  # noqa: E402
from generate import SIZES, write_models, write_tolerances  # noqa: E402
from recipes.registry import PROFILES  # noqa: E402

CHUNK = 400
# Sets of options that must not change results; each chunk of models gets one of them.
OPTIONS = [[], ["--threads", "3"], ["--target", "x86-64-v3"], [], ["--optimize", "size"], ["--fp", "strict"],
           ["--weights", "string"], ["--trees", "ifelse"]]
# Those that must not change a single bit, and what they are compared with.
BIT_EQUAL = [["--threads", "3"], ["--weights", "string"], ["--weights", "incbin"], ["--openmp", "--threads", "2"]]
PLAIN = ["--plain", "--fp", "strict"]
SCALED = "2e-4"
ROUNDING = 1e-5  # of floats on targets that multiply and add in one step


def verify(onnxc, folders, work, options, cxx=None):
    """Status and message by folder. cxx: the compiler, if not that of the environment."""
    links = os.path.join(work, "links")
    shutil.rmtree(links, ignore_errors=True)
    os.makedirs(links)
    for folder in folders:
        os.symlink(os.path.abspath(folder), os.path.join(links, os.path.basename(folder)))
    if not folders:
        return {}
    report = os.path.join(work, "report.tsv")
    environment = dict(os.environ, CXXFLAGS=os.environ.get("CXXFLAGS", "-O0"))
    if cxx:
        environment.update(CXX=cxx, CXXFLAGS="-O0 -static")
    subprocess.run([onnxc, "verify", links, "--report", report, *options], env=environment,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(report) as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {os.path.basename(r["path"]): (r["status"], r["message"]) for r in rows}


def failing(results):
    return {n: r for n, r in results.items() if r[0] != "pass"}


class Run:
    def __init__(self, o):
        self.o, self.total, self.known = o, 0, 0
        self.failures = os.path.join(o.work, "failures")
        os.makedirs(self.failures, exist_ok=True)
        self.found = []

    def verify(self, folders, options, cxx=None):
        return verify(self.o.onnxc, folders, self.o.work, ["--jobs", self.o.jobs, *options], cxx)

    def record(self, folders, options):
        """Takes results as expected ones; returns what failed."""
        for folder in folders:
            for old in glob.glob(os.path.join(folder, "test_data_set_0", "output_*.pb")):
                os.remove(old)
        return failing(self.verify(folders, ["--record", *options]))

    def fail(self, name, status, message, options, folder=None):
        self.found.append((name, options))
        folder = folder or os.path.join(self.o.work, "chunk", name)
        shutil.copytree(folder, os.path.join(self.failures, name), dirs_exist_ok=True)
        line = f"{status} {name} [{' '.join(options)}] {message}"
        print(line, flush=True)
        with open(os.path.join(self.o.work, "log.txt"), "a") as log:
            print(line, file=log)

    def compare(self, folders, options, extra=("--scaled", SCALED)):
        """All of a kind in one model; one by one those of models that fail."""
        self.total += len(folders)
        merged = merge_all(folders, os.path.join(self.o.work, "merged"))
        bad = failing(self.verify(list(merged), [*options, *extra], self.o.cxx))
        again = [f for m, parts in merged.items() if os.path.basename(m) in bad for f in parts]
        results = failing(self.verify(again, [*options, *extra], self.o.cxx))
        for m, parts in merged.items():
            name = os.path.basename(m)
            if name in bad and not any(os.path.basename(f) in results for f in parts):
                self.fail(name, *bad[name], options, m)
        for name, (status, message) in results.items():
            if status == "refused" and oracle.known_refusal(message):
                self.known += 1
                self.total -= 1
            else:
                self.fail(name, status, message, options)

    def chunk(self, first, count):
        o = self.o
        shutil.rmtree(os.path.join(o.work, "chunk"), ignore_errors=True)
        folders = write_models(o.onnxc, os.path.join(o.work, "chunk"), o.seed, first, count, o.profile, o.sizes)
        options = OPTIONS[first // CHUNK % len(OPTIONS)] if o.options is None else o.options.split()
        if o.bits:
            if o.options is not None:
                return self.bits(folders, options, ROUNDING)
            return self.bits(folders, BIT_EQUAL[first // CHUNK % len(BIT_EQUAL)], 0)
        others = folders
        if o.oracle == "ort":
            unanswered = oracle.answer(folders)
            self.compare([f for f in folders if f not in unanswered], options)
            others = list(unanswered)
        # Without an answer: an unoptimised build.
        for name, (status, message) in self.record(others, PLAIN).items():
            others = [f for f in others if os.path.basename(f) != name]
            if status == "refused" and oracle.known_refusal(message):
                self.known += 1
            elif o.oracle == "plain" or status != "refused":
                self.fail(name, status, message, PLAIN)
        return self.compare(others, options)

    def bits(self, folders, options, floats):
        """A second build whose options must not change a bit, of floats within that."""
        for folder in folders:
            write_tolerances(folder, (floats, floats))
        refused = self.record(folders, [])
        self.compare([f for f in folders if os.path.basename(f) not in refused], options, [])


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("onnxc")
    parser.add_argument("work")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    parser.add_argument("--profile", choices=PROFILES, help="only models of this kind")
    parser.add_argument("--sizes", choices=SIZES, help="how inputs say their sizes")
    parser.add_argument("--options", help="for onnxc, instead of one set of options after the other")
    parser.add_argument("--oracle", choices=("ort", "plain"), default="ort" if oracle.available() else "plain")
    parser.add_argument("--bits", action="store_true", help="compare options that must not change a bit, of floats but for rounding if --options says which")
    parser.add_argument("--cxx", help="compiler of what is compared, with --run-with among the options")
    parser.add_argument("--no-shrink", action="store_true")
    return parser.parse_args()


def main():
    o = parse()
    run = Run(o)
    for first in range(o.first, o.first + o.count, CHUNK):
        run.chunk(first, min(CHUNK, o.first + o.count - first))
        print(f"{run.total - len(run.found)} passed, {len(run.found)} failed, {run.known} of known limits", flush=True)
    for name, options in [] if o.no_shrink else run.found:
        subprocess.run([sys.executable, os.path.join(HERE, "shrink.py"), o.onnxc, os.path.join(run.failures, name), *options])
    print(f"{run.total - len(run.found)} passed, {len(run.found)} failed, {run.known} of known limits")
    sys.exit(1 if run.found or not run.total else 0)


if __name__ == "__main__":
    main()
