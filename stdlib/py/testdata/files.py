import io
import os
import sys

folder = sys.argv[1]
path = os.path.join(folder, "a.txt")


def attempt(f, *args, **kw):
    try:
        print(f(*args, **kw))
    except Exception as e:
        print(type(e).__name__, str(e).replace(folder, "DIR"))


with open(path, "w") as f:
    print(f.write("héllo\n"), f.writelines(["two\n", "three"]), f.tell(), f.writable(), f.readable(), f.closed)
    print("printed", 1, 2, sep="-", file=f)
print(f.closed)
with open(path) as f:
    for line in f:
        print(repr(line))
    print(repr(f.read()), repr(f.readline()))
f = open(path)
print(repr(f.read(3)), repr(f.readline()), f.readlines())
f.seek(0)
print(f.read() == "héllo\ntwo\nthreeprinted-1-2\n", f.name == path, f.mode, f.encoding, repr(f.read(1)))
f.close()
attempt(f.read)
attempt(lambda: f.write("x"))
attempt(lambda: next(iter(f)))
with open(path, "rb") as f:
    print(f.read(2), f.tell(), f.readline(), f.seek(-5, 2), f.read(), f.read(), f.mode)
with open(path, "ab") as f:
    f.write(b"\r\nmore\rend")
print(repr(open(path).read()))
print(repr(open(path, newline="").read()), open(path, newline="").readlines())
with open(path, "r+") as f:
    f.seek(0)
    f.write("J")
    f.seek(0)
    print(repr(f.readline()))
with open(path, "w", newline="\r\n") as f:
    f.write("a\nb\n")
print(open(path, "rb").read())
attempt(open, os.path.join(folder, "none"))
attempt(open, path, "q")
attempt(open, path, "rw")
attempt(open, path, "x")
attempt(open, folder)
attempt(open, path, "rb", encoding="utf-8")
attempt(open, 1.5)
attempt(lambda: open(path).write("x"))
attempt(lambda: open(path, "w").read())
attempt(lambda: open(path, "wb").write("x"))
attempt(lambda: open(path, "w").write(b"x"))
with open(path, "wb") as f:
    f.write(b"ok \xff bad \xe2\x28")
attempt(lambda: open(path).read())
attempt(lambda: open(path, errors="replace").read())
attempt(lambda: open(path, errors="ignore").read())
attempt(lambda: open(path, encoding="latin-1").read())
attempt(lambda: open(path, "w", encoding="ascii").write("é"))
attempt(lambda: open(path, encoding="nope"))
open(path, "w").write("dropped")
print(open(path).read())

b = io.BytesIO(b"abc\ndef")
print(b.read(2), b.readline(), b.read(), b.getvalue(), b.seek(1), b.write(b"XY"), b.getvalue(), b.tell())
b.seek(0, 2)
b.write(b"!!")
print(b.getvalue(), list(io.BytesIO(b"1\n2\n")))
s = io.StringIO()
print(s.write("one\n"), s.write("two"), s.getvalue())
print("three", file=s)
s.seek(0)
print([line for line in s], s.read(), io.StringIO("x\ny").readlines(), s.closed)
s.close()
attempt(s.getvalue)
with io.StringIO("q") as s:
    print(s.read())
attempt(lambda: io.StringIO(b"x"))
print(isinstance(io.StringIO(), io.TextIOBase), isinstance(io.BytesIO(), io.IOBase), isinstance(open(path), io.TextIOWrapper))
print(sys.stdout.write("written\n"), sys.stdout.isatty(), sys.stdout.name, sys.stdout.writable())
sys.stdout.flush()
print(repr(input()), repr(input("prompt> ")))
attempt(input)

import wave
w = os.path.join(folder, "s.wav")
with wave.open(w, "wb") as f:
    f.setnchannels(2)
    f.setsampwidth(2)
    f.setframerate(16000)
    f.writeframes(b"\x01\x00\x02\x00" * 5)
    f.writeframes(b"\x03\x00\x04\x00")
print(open(w, "rb").read())
with wave.open(w, "rb") as f:
    print(f.getnchannels(), f.getsampwidth(), f.getframerate(), f.getnframes(), f.getparams())
    print(f.readframes(2), f.tell(), f.readframes(100), f.readframes(1))
    f.setpos(4)
    print(f.readframes(1))
    f.rewind()
    print(f.tell(), f.getcomptype(), f.getcompname())
for bad in (b"RIFX....WAVE", b"RIFF\x00\x00\x00\x00WAVX", b"", b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x03\x00\x01\x00\x40\x1f\x00\x00\x00\x7d\x00\x00\x04\x00\x20\x00data\x00\x00\x00\x00",
            b"RIFF\x24\x00\x00\x00WAVEdata\x04\x00\x00\x00abcd", b"RIFF\x24\x00\x00\x00WAVE"):
    try:
        wave.open(io.BytesIO(bad))
        print("opened")
    except wave.Error as e:
        print("Error", e)
    except EOFError as e:
        print("EOFError", e)
attempt(wave.open, w, "q")

print(os.path.exists(path), os.path.isfile(folder), os.path.isdir(folder), os.path.getsize(w), sorted(os.listdir(folder)))
os.makedirs(os.path.join(folder, "d", "e"))
os.makedirs(os.path.join(folder, "d", "e"), exist_ok=True)
attempt(os.makedirs, os.path.join(folder, "d"))
attempt(os.mkdir, os.path.join(folder, "d"))
attempt(os.mkdir, os.path.join(folder, "p", "q"))
attempt(os.remove, os.path.join(folder, "zz"))
attempt(os.listdir, os.path.join(folder, "zz"))
open(os.path.join(folder, "d", "f.txt"), "w").close()
for top, dirs, files in os.walk(folder):
    dirs.sort()
    print(top.replace(folder, "DIR"), dirs, sorted(files))
os.rename(os.path.join(folder, "d", "f.txt"), os.path.join(folder, "d", "g.txt"))
print(sorted(e.name for e in os.scandir(os.path.join(folder, "d"))), os.stat(w).st_size)
attempt(os.rmdir, os.path.join(folder, "d"))
os.remove(os.path.join(folder, "d", "g.txt"))
os.rmdir(os.path.join(folder, "d", "e"))
print(os.listdir(os.path.join(folder, "d")))


class P:
    def __init__(self, p):
        self.p = p

    def __fspath__(self):
        return self.p


print(open(P(path)).read(), os.path.basename(P("/a/b")), os.path.join(P("a"), "b", P("c")), os.fspath(P("q")))
attempt(os.path.join, "a", 5)
attempt(os.path.exists, [1])
attempt(os.fspath, 1)
