#!/usr/bin/env python3
"""Plants faults in the compiler, one at a time, and counts how many the tests notice.

usage: mutate.py [--seed S] [--count N] [--minutes M] [--build DIR] [--jobs J] [--only TEXT] [--list]
       mutate.py --again LOG... [--minutes M] [--build DIR] [--jobs J]    the survivors that these runs printed

The N faults of a seed are always the same. A fault is noticed when unit_tests fail, or when it changes what onnxc makes
of one of the own cases or of the standard's where they are installed, for any machine, for this one and two threads, or
for a small core, and `onnxc verify` fails for one of the first changed ones; code for the small core is run here. Those
that neither noticed meet the test of derivatives, if their file has some, or the shortest scripts that enter their
function, if it is no operator's. The others are printed as survivors, with their lines, for a reader to judge.

The compiler is built once, so that it tells which functions it enters: a fault meets the tests that enter its function.
Its file alone is compiled again, outside the source tree.
"""
import argparse
import concurrent.futures
import os
import queue
import time

import faults
from bench import Bench, Trial


def judged(chosen, options):
    """(fault, verdict), as they come."""
    end = time.monotonic() + 60 * options.minutes
    bench = Bench(options.build, options.jobs)
    trials = queue.SimpleQueue()
    for job in range(options.jobs):
        trials.put(Trial(bench, os.path.join(options.build, f"trial_{job}")))

    def judge(fault):
        if time.monotonic() > end:
            return None
        trial = trials.get()
        try:
            return trial.judge(fault)
        finally:
            trials.put(trial)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as threads:
        started = {threads.submit(judge, fault): fault for fault in chosen}
        for done in concurrent.futures.as_completed(started):
            if done.result():
                yield started[done], done.result()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--build", default=os.path.join(faults.ROOT, "build", "mutation"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="files whose path holds this")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--again", nargs="+")
    options = parser.parse_args()
    chosen = list(faults.survivors(options.again)) if options.again else faults.sample(options.seed, options.count, options.only)
    if options.list:
        for path, number, rule, line in chosen:
            print(f"{path}:{number + 1}: {rule}: {line.strip()}")
        return
    totals = {"noticed": 0, "survived": 0, "invalid": 0}
    for (path, number, rule, line), verdict in judged(chosen, options):
        kind = "noticed" if verdict in ("unit", "cases", "scripts") else verdict if verdict == "invalid" else "survived"
        totals[kind] += 1
        print(f"{verdict}: {path}:{number + 1}: {rule}: {line.strip()}", flush=True)
    killed, survived = totals["noticed"], totals["survived"]
    print(f"{killed} noticed, {survived} survived, {totals['invalid']} did not compile"
          + (f": {100 * killed / (killed + survived):.0f} %" if killed + survived else ""))


main()
