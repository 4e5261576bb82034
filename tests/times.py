#!/usr/bin/env python3
"""How much work each test is, against tests/times.tsv: fails where one has become slower.

usage: times.py [--write] [--build FOLDER] [REGEX]     REGEX: of the names of tests; default: all

Runs tests one at a time and takes their CPU seconds, with those of all their processes: other work on
the machine hardly changes them. The table has them in units of a fixed compilation, so that machines
can be compared. A test is slower when it takes 25 % and 3 seconds more than the table says, in two
runs. --write puts the times into the table instead; tests that are gone leave it.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "times.tsv")
GROWTH, LEAST_SECONDS = 1.25, 3.0
UNIT = "#include <map>\n#include <regex>\nbool f(const char* s) { return std::regex_match(s, std::regex(\"a+b\")); }\n"


def cpu_seconds(command, **options):
    """Of the command and what it waited for; its exit code and output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def seconds_of_unit():
    command = ["g++", "-std=c++17", "-O2", "-x", "c++", "-c", "-", "-o", os.devnull]
    return min(cpu_seconds(command, input=UNIT.encode())[0] for _ in range(3))


def names(build):
    """All tests, and which of them may be skipped."""
    shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, check=True)
    return [test["name"] for test in json.loads(shown.stdout)["tests"]]


def measured(build, name):
    """CPU seconds; None where the test fails or is skipped."""
    seconds, ctest = cpu_seconds(["ctest", "-R", "^%s$" % re.escape(name)], cwd=build)
    return seconds if ctest.returncode == 0 and b" Passed " in ctest.stdout else None


def read_table():
    if not os.path.exists(TABLE):
        return {}
    with open(TABLE) as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return {name: float(units) for name, units in rows}


def write_table(table):
    with open(TABLE, "w") as file:
        file.write("# test, CPU time in units of tests/times.py; written by tests/times.py --write\n")
        for name, units in sorted(table.items()):
            file.write("%s\t%.2f\n" % (name, units))


def is_slower(build, name, seconds, limit):
    """Whether the test is above its limit again; seconds are those of the first run."""
    return seconds > limit and (measured(build, name) or 0.0) > limit


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the times into the table")
    parser.add_argument("--build", default=os.path.join(HERE, "../build/release"))
    parser.add_argument("regex", nargs="?", default="")
    args = parser.parse_args()
    table, unit, slower = read_table(), seconds_of_unit(), 0
    every = names(args.build)
    for name in (n for n in every if re.search(args.regex, n)):
        seconds = measured(args.build, name)
        if seconds is None:
            print("%s: failed or skipped" % name)
            continue
        before = table.get(name)
        print("%s: %.1f s, %.2f units%s" % (name, seconds, seconds / unit, ", %.2f before" % before if before else ""))
        if args.write:
            table[name] = seconds / unit
            write_table({name: units for name, units in table.items() if name in every})
        elif before is not None:
            limit = max(GROWTH * before * unit, before * unit + LEAST_SECONDS)
            if is_slower(args.build, name, seconds, limit):
                slower += 1
                print("%s: SLOWER than %.1f s" % (name, limit))
    print("%d slower" % slower)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
