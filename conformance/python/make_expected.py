#!/usr/bin/python3
"""Makes NAME.out beside each NAME.py: what CPython 3.11 prints, standard output
first, then standard error, the folder's name taken out.

    make_expected.py            writes all
    make_expected.py --check    reports those that differ, and writes nothing
"""

import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))


def expected(name):
    run = subprocess.run([sys.executable, "-W", "ignore", name], cwd=here, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    text = run.stdout.decode() + run.stderr.decode()
    return text.replace(here + os.sep, "")


def main():
    check = "--check" in sys.argv[1:]
    wrong = 0
    for name in sorted(os.listdir(here)):
        if not name.endswith(".py") or name.startswith("make_"):
            continue
        text = expected(name)
        path = os.path.join(here, name[:-3] + ".out")
        if not check:
            with open(path, "w") as f:
                f.write(text)
            continue
        try:
            with open(path) as f:
                same = f.read() == text
        except FileNotFoundError:
            same = False
        if not same:
            wrong += 1
            print(f"{name}: stored output differs")
    sys.exit(1 if wrong else 0)


if sys.version_info[:2] != (3, 11):
    sys.exit("the expected outputs are CPython 3.11's")
main()
