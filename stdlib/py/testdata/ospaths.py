import os.path
import os

samples = ["", "/", "//", "a", "a/b", "/a/b.txt", "a/b/", "/a//b/../c/./d", "../x", "a/../../b", ".bashrc", "a.b/c", "x.tar.gz", "...", "a/..b", "//net/x", "///y", "dir.d/"]
for s in samples:
    print(repr(s), os.path.basename(s), os.path.dirname(s), os.path.split(s), os.path.splitext(s), os.path.normpath(s), os.path.isabs(s))
print(os.path.join("a", "b"), os.path.join("a/", "b"), os.path.join("a", "/b", "c"), os.path.join(""), os.path.join("a", ""), os.path.join("", "b"))
print(os.path.commonprefix(["/usr/lib", "/usr/local"]), os.path.commonpath(["/usr/lib", "/usr/local/x"]), os.path.commonpath(["a/b", "a/c"]))
print(os.path.relpath("/a/b/c", "/a/d"), os.path.relpath("/a", "/a"), os.path.abspath("/x/../y"), os.path.abspath("q") == os.path.join(os.getcwd(), "q"))
print(os.sep, os.pathsep, os.linesep == "\n", os.curdir, os.name, os.cpu_count() > 0, os.extsep, os.devnull)
for f in (lambda: os.path.commonpath([]), lambda: os.path.commonpath(["/a", "b"]), lambda: os.path.basename(5), lambda: os.path.relpath("")):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
os.environ["LARKSPUR_TEST"] = "yes"
print(os.environ["LARKSPUR_TEST"], os.getenv("LARKSPUR_TEST"), "LARKSPUR_TEST" in os.environ)
import os.path as op
print(op is os.path, op.sep)
