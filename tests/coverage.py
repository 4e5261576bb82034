"""Adds up gcov's counts for each folder of the compiler: coverage.py SOURCES BUILD. Exit code 1 below a threshold."""
import json
import os
import subprocess
import sys

ROOT, BUILD = (os.path.realpath(path) for path in sys.argv[1:3])
# What has to be covered, in per cent of the lines.
THRESHOLDS = {"compiler/onnx": 95, "compiler/interface/sanitized_text.cpp": 95, "compiler/support/terminal.cpp": 95,
              "compiler": 90}


def counts():
    """For each source file the lines with code and how often each ran, over all objects."""
    files = {}
    for folder, _, names in os.walk(BUILD):
        data = [os.path.join(folder, name) for name in names if name.endswith(".gcda")]
        for path in data:
            done = subprocess.run(["gcov", "--json-format", "--stdout", path], capture_output=True, text=True, cwd=BUILD)
            for text in done.stdout.splitlines():
                for file in json.loads(text)["files"]:
                    name = os.path.relpath(os.path.realpath(os.path.join(BUILD, file["file"])), ROOT)
                    if name.startswith("compiler/"):
                        lines = files.setdefault(name, {})
                        for line in file["lines"]:
                            number = line["line_number"]
                            lines[number] = lines.get(number, 0) + line["count"]
    return files


def main():
    files = counts()
    groups = {}
    with open(os.path.join(BUILD, "uncovered.txt"), "w") as uncovered:
        for name, lines in sorted(files.items()):
            parts = name.split("/")
            for group in {"compiler", "/".join(parts[:-1][:3]), *(g for g in THRESHOLDS if name == g)}:
                seen = groups.setdefault(group, [0, 0])
                seen[0] += sum(count > 0 for count in lines.values())
                seen[1] += len(lines)
            with open(os.path.join(ROOT, name)) as file:
                source = file.read().split("\n")
            if max(lines, default=0) > len(source):
                sys.exit(f"{name} is shorter than when it was compiled: build again, without old .gcda files")
            for number in sorted(n for n, count in lines.items() if not count):
                uncovered.write(f"{name}:{number}: {source[number - 1].strip()}\n")
    failed = 0
    for group, (covered, total) in sorted(groups.items()):
        percent = 100 * covered / max(total, 1)
        low = percent < THRESHOLDS.get(group, 0)
        failed += low
        print(f"{percent:5.1f} %  {covered:6} of {total:6}  {group}{' BELOW THE THRESHOLD' if low else ''}")
    print(f"{len(THRESHOLDS) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
