"""Lets calls of onnxc fail, one at a time: it must end as without the fault, or with a message, the
documented exit code, and every file as it was.

usage: faults.py ONNXC SHIM FOLDER MEMORY_FAULTS MODEL...
  MEMORY_FAULTS: how many failing allocations to try for each model, evenly spread; 0: all.
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

MEMORY, FILES = 3, 5  # exit codes


def contents(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)}


class Model:
    def __init__(self, onnxc, shim, folder, path):
        self.onnxc, self.shim, self.path = onnxc, shim, path
        self.folder = folder
        self.want = self.run("whole", {})[2]
        # What an earlier version has left: other content under the same names.
        self.old = {name: b"old " + name.encode() for name in self.want}

    def run(self, name, fault, before=None):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        for left in os.listdir(folder):
            os.unlink(os.path.join(folder, left))
        for file, content in (before or {}).items():
            with open(os.path.join(folder, file), "wb") as out:
                out.write(content)
        done = subprocess.run([self.onnxc, "-q", self.path, "-o", os.path.join(folder, "m")],
                              env={**os.environ, "LD_PRELOAD": self.shim, **fault},
                              capture_output=True, timeout=600)
        return done.returncode, done.stderr.decode(errors="replace"), contents(folder)

    def counts(self):
        path = os.path.join(self.folder, "counts")
        # Both ways through write_files: with and without old files.
        numbers = []
        for before in ({}, self.old):
            self.run("count", {"FAULT_COUNT": path}, before)
            numbers.append(dict(line.split() for line in open(path)))
        return {name: max(int(n[name]) for n in numbers) for name in numbers[0]}

    def problem(self, call, at, keep, before):
        fault = {"FAULT_CALL": call, "FAULT_AT": str(at), **({"FAULT_KEEP": "1"} if keep else {})}
        code, text, files = self.run(f"{call}_{at}_{keep:d}_{bool(before):d}", fault, before)
        if code == 0:
            return "" if files == self.want else "succeeds with other files"
        expected = MEMORY if call == "memory" else FILES
        if code not in (expected, FILES):
            return f"exit code {code}: {text[:200]}"
        if not text.startswith("onnxc: "):
            return f"message {text[:200]!r}"
        return "" if files == (before or {}) else f"leaves {sorted(files)}"


def faults(model, limit):
    for call, count in model.counts().items():
        step = max(1, count // limit) if call == "memory" and limit else 1
        for at in range(1, count + 1, step):
            yield call, at, False, {}
            if call != "memory":
                yield call, at, False, model.old
                yield call, at, True, model.old
            elif at // step % 8 == 0:
                yield call, at, True, {}


def main():
    onnxc, shim, folder, limit = sys.argv[1:5]
    passed = failed = 0
    for number, path in enumerate(sys.argv[5:]):
        model = Model(onnxc, shim, os.path.join(folder, str(number)), path)

        def attempt(fault):
            return fault, model.problem(*fault)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for (call, at, keep, before), problem in pool.map(attempt, faults(model, int(limit))):
                passed, failed = passed + (not problem), failed + bool(problem)
                if problem:
                    kind = "and all later" if keep else "only"
                    print(f"FAIL: {path}: {call} {at} {kind}{', over old files' if before else ''}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
