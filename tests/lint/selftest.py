#!/usr/bin/env python3
"""Shows that lint.py fails: plants each kind of violation in a copy of the tree, one at a time.

usage: selftest.py ROOT FOLDER        FOLDER is created for the copy
"""
import os
import shutil
import subprocess
import sys

LONG_FUNCTION = "\n".join(["// A planted file.", "int planted() {", "  int x = 0;", *["  ++x;"] * 70,
                           "  return x;", "}", ""])

# (check, file, text added at its end or making it, what the report must say)
PLANTED = [
    ("includes", "compiler/support/planted.hpp", '// A.\n#include "compiler/ir/graph.hpp"\n',
     "support includes ir, which is above it"),
    ("includes", "compiler/ops/planted.hpp", '// A.\n#include "compiler/passes/pass.hpp"\n',
     "ops includes passes, which is above it"),
    ("includes", "compiler/passes/planted.hpp", '// A.\n#include "compiler/schedule/lower.hpp"\n',
     "passes includes schedule, which is beside it"),
    ("includes", "compiler/passes/fusion/planted.hpp", '// A.\n# include "compiler/session/session.hpp"\n',
     "passes includes session, which is above it"),
    ("includes", "templates/matmul/planted.hpp", '// A.\n#include "compiler/ir/dim.hpp"\n',
     "generated code does not include ir"),
    ("includes", "compiler/cli/planted.hpp", '// A.\n#include "proto/onnx.pb.h"\n',
     "only onnx includes proto/"),
    ("includes", "compiler/run/planted.hpp", "// A.\n#include <unistd.h>\n",
     "only compiler/support/platform/ includes unistd.h"),
    ("names", "compiler/passes/layout/choose_layout.cpp",
     'bool planted(const Node& n) { return n.op->name == "Gemm"; }\n',
     "compares with the name Gemm"),
    ("names", "compiler/schedule/memory.cpp",
     'bool planted(const Step& s) { return is_call(s, "conv2d_nhwc"); }\n',
     "compares with the name conv2d_nhwc"),
    ("names", "compiler/emit/writer.cpp",
     'const std::set<std::string> planted = {"Reshape", "Squeeze"};\n',
     "compares with the name Squeeze"),
    ("names", "compiler/emit/weights.cpp",
     'bool planted(const Step& s) { return s.kernel ==\n    "gemm"; }\n',
     "compares with the name gemm"),
    ("functions", "runtime_min/planted.hpp", LONG_FUNCTION, "planted has 74 lines"),
    ("files", "tests/unit/planted.cpp", "// A.\n" + "int x;\n" * 600, "601 lines"),
    ("columns", "compiler/ir/planted.hpp", "// " + "x" * 98 + "\n", "101 columns"),
    ("heads", "compiler/ir/planted.hpp", "#pragma once\n\n#include <string>\n",
     "does not begin with a comment"),
    ("heads", "tests/cli/planted_test.sh", "#!/bin/sh\nset -e\n", "does not begin with a comment"),
    ("standard", "templates/movement/planted.hpp", "// A.\n// std::no\nint x = std::gcd(4, 6);\n",
     "std::gcd is not in kStandardHeaders"),
    ("words", "compiler/ir/planted.hpp", "// What comes after it is\n// behind it.\n",
     "says \"behind\": after"),
    ("words", "docs/planted.md", "A page.\n\nIt is beside `beside`.\n", "says \"beside\": next to"),
    ("kernels", "templates/movement/planted.hpp", '// A.\n#include "runtime_min/types.hpp"\n',
     "no test in tests/kernels includes it"),
    ("format", "compiler/ir/planted.hpp", "// A.\nint  x;\n", "differs from what clang-format"),
]


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True,
                          check=True).stdout


def copy_tree(root, folder):
    shutil.rmtree(folder, ignore_errors=True)
    for file in git(root, "ls-files", "--cached", "--others", "--exclude-standard").splitlines():
        source = os.path.join(root, file)
        if os.path.isfile(source):
            os.makedirs(os.path.dirname(os.path.join(folder, file)), exist_ok=True)
            shutil.copy(source, os.path.join(folder, file))
    git(folder, "init", "-q")


def run_lint(folder, check, under=""):
    command = [sys.executable, "tests/lint/lint.py", "--only", check, "--under", under, "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def problem_with_clean(folder, check):
    """The copy by itself has nothing to report."""
    run = run_lint(folder, check)
    return None if run.returncode == 0 else run.stdout + run.stderr


def problem_with(folder, check, file, text, wanted):
    """What is wrong about the report on one planted violation; None when it is as it should be."""
    path = os.path.join(folder, file)
    before = open(path).read() if os.path.exists(path) else None
    under = os.path.dirname(file) if check == "format" else ""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a") as f:
        f.write(text)
    run = run_lint(folder, check, under)
    if before is None:
        os.remove(path)
    else:
        with open(path, "w") as f:
            f.write(before)
    found = any(line.startswith(file) and wanted in line for line in run.stdout.splitlines())
    return None if run.returncode == 1 and found else "not found:\n" + run.stdout + run.stderr


def main():
    root, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    copy_tree(root, folder)
    problems = [(f"{check}: nothing planted", problem_with_clean(folder, check))
                for check in ("includes", "names", "functions", "files", "columns", "heads", "words",
                              "kernels")]
    problems += [(f"{p[0]} in {p[1]}", problem_with(folder, *p)) for p in PLANTED]
    shutil.rmtree(folder)
    for what, problem in problems:
        if problem:
            print(f"FAIL: {what}: {problem}")
    failed = sum(problem is not None for _, problem in problems)
    print(f"{len(problems) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
