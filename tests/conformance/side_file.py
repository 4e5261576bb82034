#!/usr/bin/env python3
"""Side files of cases: the elements of large tensors, which file(NAME, OFFSET) of docs/cases.md names.

usage: side_file.py FILE.case...     fails where a side file lacks something or has more than its cases name
"""
import math
import os
import re
import sys

# A tensor type, perhaps a name, and where the elements are.
REFERENCE = re.compile(r'\b(\w+)(?:\[([\d,]*)\])?\s+(?:(?:\w+|"(?:\\.|[^"\\])*")\s+)?=\s+file\(([\w.]+), (\d+)\)')
BYTES = {"float": 4, "uint16": 2, "int16": 2, "int32": 4, "int64": 8, "float16": 2, "double": 8,
         "uint32": 4, "uint64": 8, "complex64": 8, "complex128": 16, "bfloat16": 2}  # others: 1


class SideFile:
    def __init__(self, path):
        self.path, self.data = path, b""
        if os.path.exists(path):
            with open(path, "rb") as file:
                self.data = file.read()

    def put(self, raw):
        """The text that stands for these bytes, which go to the end unless they are there."""
        offset = self.data.find(raw)
        if offset < 0:
            offset = len(self.data)
            self.data += raw
        return "file(%s, %d)" % (os.path.basename(self.path), offset)

    def keep_what(self, text):
        """The text of a file of cases, for which the side file has what it names and nothing else."""
        old, self.data = self.data, b""

        def moved(match):
            kind, dims, name, offset = match.groups()
            if name != os.path.basename(self.path):
                return match.group(0)
            size = BYTES.get(kind, 1) * math.prod(int(d) for d in (dims or "1").split(","))
            start = match.start(3) - len("file(") - match.start()
            return match.group(0)[:start] + self.put(old[int(offset):int(offset) + size])

        return REFERENCE.sub(moved, text)

    def write(self):
        if not self.data:
            if os.path.exists(self.path):
                os.remove(self.path)
            return
        with open(self.path, "wb") as file:
            file.write(self.data)


def is_exact(path):
    """Whether the tensors that the cases name follow each other in the side file, to its end."""
    side = SideFile(os.path.splitext(path)[0] + ".data")
    before = side.data
    with open(path) as file:
        text = file.read()
    return side.keep_what(text) == text and side.data == before


if __name__ == "__main__":
    wrong = [path for path in sys.argv[1:] if not is_exact(path)]
    print("\n".join(wrong))
    sys.exit(1 if wrong or len(sys.argv) < 2 else 0)
