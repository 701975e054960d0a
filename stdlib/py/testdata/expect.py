"""Runs each program of this folder under CPython and stores what it prints: expect.py [NAME...]"""

import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
for file in sorted(os.listdir(here)):
    name, ext = os.path.splitext(file)
    if ext != ".py" or name == "expect" or (sys.argv[1:] and name not in sys.argv[1:]):
        continue
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-P", "-W", "ignore", os.path.join(here, file), folder],
                              input="first line\nsecond\n", capture_output=True, text=True,
                              env={**os.environ, "PYTHONHASHSEED": "0", "TZ": "UTC", "PYTHONIOENCODING": "utf-8"})
    if done.returncode:
        sys.exit(f"{file}: {done.stderr}")
    with open(os.path.join(here, name + ".out"), "w", encoding="utf-8") as f:
        f.write(done.stdout)
