#!/usr/bin/env python3
"""Kills compilations at any moment: each file is the old or the new one, a .cpp is never next to the header
of another run, and the next run is as if nothing had been.

usage: kills.py ONNXC COUNT OLD_MODEL MODEL...     the moments are spread over the models
"""
import glob
import os
import random
import shutil
import subprocess
import sys
import time


def contents(folder):
    found = {}
    for path in glob.glob(folder + "/*"):
        with open(path, "rb") as file:
            found[os.path.basename(path)] = file.read()
    return found


class Killer:
    def __init__(self, onnxc, old_model, model):
        self.onnxc, self.model = onnxc, model
        for folder in ("before", "whole", "timing"):
            shutil.rmtree(folder, ignore_errors=True)
        self.compile(old_model, "before")
        self.compile(model, "whole")
        self.old, self.new = contents("before"), contents("whole")
        start = time.monotonic()
        self.compile(model, "timing")
        self.duration = time.monotonic() - start

    def compile(self, model, folder):
        subprocess.run([self.onnxc, "-q", model, "-o", folder + "/m"], check=True)

    def kill(self, near_the_end):
        """What is wrong after one kill: "", "mixed" or "afterwards"."""
        shutil.rmtree("killed", ignore_errors=True)
        shutil.copytree("before", "killed")
        run = subprocess.Popen([self.onnxc, "-q", self.model, "-o", "killed/m"])
        part = 1 - 0.2 * random.random() if near_the_end else random.random()
        time.sleep(self.duration * part)
        run.kill()
        run.wait()
        now = contents("killed")
        whole = all(now[f] in (self.old.get(f), self.new[f]) for f in now if f in self.new)
        source, header = now.get("m.cpp"), now["m.h"]
        if not whole or (source is not None and (source == self.new["m.cpp"]) != (header == self.new["m.h"])):
            return "mixed"
        self.compile(self.model, "killed")
        after = contents("killed")
        return "afterwards" if any(after[f] != self.new[f] for f in self.new) else ""


def main():
    onnxc, count, old_model, models = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    random.seed(1)
    wrong = {"mixed": 0, "afterwards": 0}
    for k, model in enumerate(models):
        killer = Killer(onnxc, old_model, model)
        for i in range(k, count, len(models)):
            found = killer.kill(near_the_end=i // len(models) % 2 == 0)
            if found:
                wrong[found] += 1
                print(f"{model}: {found}")
    print(f"{wrong['mixed']} mixed, {wrong['afterwards']} wrong afterwards")


main()
