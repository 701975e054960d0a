"""Writes NAME.txt beside each NAME.py: what the script prints under PyTorch. Names on the command line limit the run.

Each script runs in a child of its own, forked after torch is imported, so that seeds, print options and modes of one do
not reach the next.
"""

import glob
import os
import sys
import traceback
import warnings

import torch

HERE = os.path.dirname(os.path.abspath(__file__))


def run(path, out):
    os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 1)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with open(path) as f:
        source = f.read()
    module = type(sys)("__main__")
    sys.modules["__main__"] = module
    status = 0
    try:
        exec(compile(source, path, "exec"), module.__dict__)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    me = os.path.basename(__file__)
    names = sys.argv[1:] or sorted(os.path.basename(p)[:-3] for p in glob.glob(HERE + "/*.py") if os.path.basename(p) != me)
    failed = 0
    for name in names:
        base = os.path.join(HERE, name)
        pid = os.fork()
        if pid == 0:
            run(base + ".py", base + ".txt")
        if os.waitpid(pid, 0)[1] != 0:
            print("failed:", name)
            failed = 1
    sys.exit(failed)
