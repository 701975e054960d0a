#!/usr/bin/python3
"""Makes cases/AREA.out beside each cases/AREA.py: what CPython 3.11 prints for each case of the file.

A file is a list of cases with a blank line between them, numbered from 1. Each runs in a process of its own,
as __main__ in a file called case.py. The output of case N stands behind a line "### N", standard output
first, then the traceback of what ended it.

The area tqdm needs Debian's python3-tqdm. Areas whose names begin with own_ are of a library that Debian lacks (einops), or of
what Larkspur refuses (threads, processes, numpy): their outputs are Larkspur's own, read through by hand, and are not remade.

    make_cases.py [AREA ...]    writes those areas, or all
    make_cases.py --check       reports those that differ, and writes nothing
"""

import atexit
import linecache
import os
import re
import sys
import tempfile
import types
import warnings

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
NAME = "case.py"


def cases(text):
    return [c.strip("\n") + "\n" for c in re.split(r"\n\n+", text) if c.strip("\n")]


def run(text):
    """Runs a case in the forked process that this is."""
    warnings.simplefilter("ignore")
    atexit._clear()
    with open(NAME, "w") as f:
        f.write(text)
    linecache.checkcache(NAME)
    main = types.ModuleType("__main__")
    main.__file__ = NAME
    sys.modules["__main__"] = main
    sys.argv = [NAME]
    try:
        exec(compile(text, NAME, "exec"), main.__dict__)
    except SystemExit as e:
        if e.code is not None and not isinstance(e.code, int):
            print(e.code, file=sys.stderr)
    except BaseException as e:
        sys.stdout.flush()
        tb = e.__traceback__
        e.__traceback__ = tb.tb_next if tb is not None else None
        sys.__excepthook__(type(e), e, e.__traceback__)
    atexit._run_exitfuncs()
    # Objects that outlive the case print nothing when they go.
    sys.stdout.flush()
    sys.stderr.flush()


def output(text):
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.chdir(tempfile.mkdtemp(dir="."))
        os.dup2(w, 1)
        os.dup2(w, 2)
        try:
            run(text)
        finally:
            os._exit(0)
    os.close(w)
    with os.fdopen(r, "rb") as f:
        got = f.read().decode()
    os.waitpid(pid, 0)
    return got


def own(text):
    """The output without the entries of library files in tracebacks, which differ."""
    out, drop = [], False
    for line in text.splitlines(True):
        if line.startswith('  File "'):
            drop = not line.startswith(f'  File "{NAME}"')
        elif not line.startswith("    "):
            drop = False
        if not drop:
            out.append(line)
    return "".join(out)


def expected(name):
    with open(os.path.join(here, name)) as f:
        text = f.read()
    out = []
    for i, case in enumerate(cases(text), 1):
        got = own(output(case))
        if got and not got.endswith("\n"):
            got += "\n"
        out.append(f"### {i}\n{got}")
    return "".join(out)


def main():
    args = sys.argv[1:]
    check = "--check" in args
    areas = [a for a in args if not a.startswith("-")]
    wrong = 0
    for name in sorted(os.listdir(here)):
        if not name.endswith(".py") or name.startswith("own_") or areas and name[:-3] not in areas:
            continue
        path = os.path.join(here, name[:-3] + ".out")
        text = expected(name)
        if check:
            with open(path, newline="") as f:  # carriage returns stay
                if f.read() != text:
                    wrong += 1
                    print(f"{name}: stored output differs")
        else:
            with open(path, "w") as f:
                f.write(text)
    sys.exit(1 if wrong else 0)


if sys.version_info[:2] != (3, 11):
    sys.exit("the expected outputs are CPython 3.11's")
os.environ["COLUMNS"] = "80"
with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    main()
