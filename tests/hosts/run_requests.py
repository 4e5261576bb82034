"""Runs the programs that request.exe asks for, as a program of wine cannot wait for others.

usage: run_requests.py FOLDER COMMAND...    until FOLDER is gone; COMMAND gets the arguments
"""

import os
import re
import subprocess
import sys
import time

folder, command = sys.argv[1], sys.argv[2:]


def here(argument):
    """A path of wine, alone or after an option, as a path of this system."""
    drives = os.path.join(os.environ.get("WINEPREFIX", os.path.expanduser("~/.wine")), "dosdevices")
    path = re.search(r"([A-Za-z]:)([\\/].*)", argument)
    if path:
        argument = argument[: path.start()] + os.path.join(drives, path[1].lower()) + path[2]
    return argument.replace("\\", "/")


def run(name):
    with open(name + ".request", "rb") as file:
        words = file.read().decode().split("\0")
    folder_of_program, *arguments = words[:-1]
    done = subprocess.run(
        command + [here(a) for a in arguments],
        cwd=here(folder_of_program),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    os.remove(name + ".request")
    with open(name + ".new", "wb") as file:
        file.write(b"%d\n" % done.returncode + done.stdout)
    os.rename(name + ".new", name + ".answer")


while os.path.isdir(folder):
    for entry in os.listdir(folder):
        if entry.endswith(".request"):
            run(os.path.join(folder, entry[: -len(".request")]))
    time.sleep(0.02)
