#!/usr/bin/env python3
"""Compares generated tokenizers with the slow model, on random texts.

usage: compare.py write DIR             tokenizer.json of each kind, as DIR/KIND.json
       compare.py check DIR KIND COUNT  runs DIR/KIND/run on COUNT texts
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import samples  # noqa: E402
import slow  # noqa: E402


def write(folder):
    for name, make in samples.ALL.items():
        with open(os.path.join(folder, name + ".json"), "w") as file:
            json.dump(make(), file, ensure_ascii=name == "gpt2")


def check(folder, name, count):
    with open(os.path.join(folder, name + ".json")) as file:
        spec = json.load(file)
    texts = samples.texts(count, name)
    given = b"".join(b"%d\n%s" % (len(t.encode()), t.encode()) for t in texts)
    run = subprocess.run([os.path.join(folder, name, "run")], input=given, capture_output=True)
    if run.returncode:
        print(run.stderr.decode(errors="replace")[:2000])
        return 1
    lines = run.stdout.decode().split("\n")
    wrong = 0
    for i, text in enumerate(texts):
        ids = [int(x) for x in lines[2 * i].split()]
        want = slow.encode(name, spec, text)
        back, known = bytes.fromhex(lines[2 * i + 1]), slow.decode(spec, ids)
        exact = name != "gpt2" or "<|" in text or back == text.encode()
        if ids == want and back == known and exact:
            continue
        wrong += 1
        if wrong <= 3:
            print(f"{name} {text!r}: {ids}, want {want}; {back!r}, want {known!r}")
    print(f"{name}: {wrong} of {len(texts)} texts differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    else:
        sys.exit(check(sys.argv[2], sys.argv[3], int(sys.argv[4])))
