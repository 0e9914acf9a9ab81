"""python -m gosphere runs the program."""

import os
import subprocess
import sys

from gosphere import find_program

if __name__ == "__main__":
    command = [find_program(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)
