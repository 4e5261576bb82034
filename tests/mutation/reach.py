"""Which tests enter which part of the sources: only these can notice a fault there."""
import array
import bisect
import collections
import glob
import os
import re
import subprocess
import tempfile

import faults

# What these define may be computed when it is compiled, or is data: any test may depend on it.
NOT_ENTERED = re.compile(r"(inline |static )*(constexpr|const|consteval|extern) |[\w:<>, ]+ k[A-Z]\w*( =|\[|\{)")


class Blocks:
    """The outermost definitions of the sources, which begin in the first column: functions, classes, tables."""

    def __init__(self):
        self.starts, self.entered = {}, {}

    def of(self, path, number):
        """Of a line, counted from 0: the path and the line where its block begins."""
        if path not in self.starts:
            lines = faults.read(path).split("\n")
            begins = [i for i, line in enumerate(lines) if re.match(r"[\w~\[]", line) and not re.match(r"namespace |using ", line)]
            self.starts[path] = begins
            self.entered.update({(path, i): not NOT_ENTERED.match(lines[i]) for i in begins})
        at = bisect.bisect_right(self.starts[path], number)
        return path, self.starts[path][at - 1] if at else -1

    def may_be_entered(self, block):
        return self.entered.get(block, False)


class Reach:
    """For each block, the names of what enters it. First add(), then locate()."""

    def __init__(self, blocks, program):
        self.blocks, self.program = blocks, program
        self.offsets = {}  # of the functions that each name enters, in the units of reach.cpp
        self.by_block = collections.defaultdict(set)

    def add(self, name, files):
        """What its processes left in these files."""
        offsets = array.array("I")
        for file in files:
            with open(file, "rb") as content:
                offsets.frombytes(content.read())
        self.offsets[name] = offsets

    def locate(self):
        block_at = dict(self.places(sorted(set().union(*self.offsets.values()))))
        for name, offsets in self.offsets.items():
            for block in {block_at[offset] for offset in offsets} - {None}:
                self.by_block[block].add(name)
        self.offsets = dict.fromkeys(self.offsets)

    def places(self, offsets):
        """(offset, its block) of functions."""
        addresses = "".join(f"{16 * offset:#x}\n" for offset in offsets)
        done = subprocess.run(["addr2line", "-e", self.program], input=addresses, capture_output=True, text=True, check=True)
        for offset, place in zip(offsets, done.stdout.splitlines()):
            file, _, line = place.split(" ")[0].rpartition(":")
            path = os.path.relpath(file, faults.ROOT)
            known = line.isdigit() and path.endswith(".cpp") and path.startswith("compiler/")
            yield offset, self.blocks.of(path, int(line) - 1) if known else None

    def of(self, path, number):
        """The names of what may notice a fault in a line, counted from 0."""
        block = self.blocks.of(path, number)
        return self.by_block[block] if self.blocks.may_be_entered(block) else set(self.offsets)


class Recording:
    """A folder where processes leave what they enter. Use it as a context."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="reach")
        self.environment = {**os.environ, "REACH": self.folder.name}
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def file(self, process):
        return os.path.join(self.folder.name, str(process))

    def files(self):
        return glob.glob(os.path.join(self.folder.name, "*"))
