import argparse, logging, inspect, pathlib, datetime, hashlib, base64, csv, pickle, pprint, uuid, textwrap, statistics, io, sys, struct, glob, os, tempfile, shutil, fnmatch, numbers, queue, binascii, traceback, gc, weakref, threading, signal, platform
folder = sys.argv[1]


def attempt(f):
    try:
        print(f())
    except SystemExit as e:
        print("exit", e.code)
    except Exception as e:
        print(type(e).__name__, str(e).replace(folder, "DIR"))


os.environ["COLUMNS"] = "80"
p = argparse.ArgumentParser(prog="prog", description="A test program.", epilog="The end.")
p.add_argument("input", help="the input file")
p.add_argument("rest", nargs="*", type=int, help="numbers")
p.add_argument("-v", "--verbose", action="store_true", help="say more")
p.add_argument("--lr", type=float, default=0.1, metavar="RATE", help="learning rate (default: %(default)s)")
p.add_argument("--mode", choices=["a", "b"], default="a")
p.add_argument("--n-layer", type=int, default=3)
p.add_argument("--dims", nargs="+", type=int)
p.add_argument("-q", action="count", default=0)
p.add_argument("--tag", action="append")
p.add_argument("--no-bias", dest="bias", action="store_false")
p.add_argument("--opt", nargs="?", const="c", default="d")
g = p.add_argument_group("extra", "More options.")
g.add_argument("--flag", action=argparse.BooleanOptionalAction, default=True)
x = p.add_mutually_exclusive_group()
x.add_argument("--one", action="store_true")
x.add_argument("--two", action="store_true")
print(p.format_usage())
print(p.format_help())
for line in ("in", "in 1 2 3 -v", "in --lr 0.5 --mode b --n-layer=7", "in --dims 1 2 3 -qqq", "in --tag x --tag y --no-bias", "in --opt --no-flag", "in --opt z --verb", "-v in 5", "in --one", "in -- -1", "in -1"):
    print(vars(p.parse_args(line.split())))
sys.stderr = io.StringIO()
for line in ("", "in --lr abc", "in --mode c", "in --nope", "in --one --two", "in --dims", "in --n", "in --tag", "in x", "-h" if False else "in --lr"):
    attempt(lambda: p.parse_args(line.split()))
print(sys.stderr.getvalue())
sys.stderr = sys.__stderr__
print(p.parse_known_args("in --unknown 5".split()))
s = argparse.ArgumentParser(prog="git")
subs = s.add_subparsers(dest="cmd", required=True)
a = subs.add_parser("add", help="add files")
a.add_argument("path", nargs="+")
b = subs.add_parser("commit")
b.add_argument("-m", required=True)
b.set_defaults(func="do")
print(s.parse_args(["add", "x", "y"]), s.parse_args(["commit", "-m", "msg"]), p.get_default("lr"))
print(s.format_help())

out = io.StringIO()
logging.basicConfig(stream=out, level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
log = logging.getLogger("a.b")
log.info("hello %s", "x")
log.debug("hidden")
log.warning("n=%d", 3)
logging.error("root")
log.setLevel("ERROR")
log.info("no")
child = logging.getLogger("a.b.c")
print(out.getvalue(), child.getEffectiveLevel(), child.parent is log, log.isEnabledFor(40), logging.getLevelName(20))


def f(a, /, b: int, c=3, *args, d, e: str = "x", **kw) -> float:
    """Doc of f.

        indented
    """


class K:
    def __init__(self, x, y=2):
        self.x = x

    def m(self, z):
        pass

    @property
    def pr(self):
        return 1


import functools
print(inspect.signature(f), inspect.signature(K), inspect.signature(K(1).m), inspect.signature(K.m), inspect.signature(lambda *, q: 0), inspect.signature(functools.partial(f, 1, d=4)))
print([(n, str(q.kind), q.default is q.empty) for n, q in inspect.signature(f).parameters.items()], inspect.getdoc(f))
print(inspect.isfunction(f), inspect.isclass(K), inspect.ismethod(K(1).m), inspect.isbuiltin(len), inspect.ismodule(io), inspect.getfullargspec(f).args, inspect.signature(f).bind(1, 2, d=5).arguments)
attempt(lambda: inspect.signature(f).bind(1))
print([n for n, v in inspect.getmembers(K(1)) if not n.startswith("_")], [n for n, v in inspect.getmembers(K, inspect.isfunction)], inspect.isgeneratorfunction(attempt))

P = pathlib.Path
q = P("/a/b") / "c.tar.gz"
print(q, repr(P("x")), q.name, q.stem, q.suffix, q.suffixes, q.parent, q.parts, q.with_suffix(".zip"), q.with_name("d"), q.is_absolute(), P("a/./b//c"), P("."), P("") , P("a") == P("a/"), sorted([P("b"), P("a")]), q.relative_to("/a"), list(q.parents), q.match("*.gz"), str(P("~")), "pre" / P("x"), q.as_posix(), P("a", "b"), hash(P("a")) == hash(P("a")))
attempt(lambda: q.relative_to("/z"))
d = P(folder)
(d / "sub").mkdir()
(d / "sub" / "f.txt").write_text("hi\n")
(d / "g.py").write_bytes(b"x")
print(sorted(str(x.relative_to(d)) for x in d.rglob("*")), sorted(x.name for x in d.iterdir()), (d / "sub/f.txt").read_text(), (d / "g.py").exists(), (d / "nope").is_file(), [x.name for x in d.glob("*.py")], sorted(x.name for x in d.glob("**/*.txt")), (d / "g.py").stat().st_size)
attempt(lambda: (d / "sub").mkdir())
(d / "sub").mkdir(exist_ok=True)
(d / "p/q").mkdir(parents=True)
with (d / "g.py").open() as fh:
    print(fh.read())
(d / "g.py").unlink()
attempt(lambda: (d / "g.py").unlink())
print(sorted(x.replace(folder, "") for x in glob.glob(folder + "/**/*.txt", recursive=True)), sorted(x.replace(folder, "") for x in glob.glob(folder + "/*")), fnmatch.filter(["a.py", "b.txt"], "*.py"), fnmatch.fnmatch("abc", "a[!x]c"))
shutil.copy(folder + "/sub/f.txt", folder + "/copy.txt")
shutil.copytree(folder + "/sub", folder + "/sub2")
shutil.rmtree(folder + "/sub")
print(sorted(os.listdir(folder)), os.listdir(folder + "/sub2"))
with tempfile.TemporaryDirectory(dir=folder) as t:
    print(os.path.isdir(t))
print(os.path.exists(t))

D = datetime
t = D.datetime(2024, 2, 29, 13, 5, 7, 123456)
print(t, repr(t), t.isoformat(), t.date(), t.time(), t.weekday(), t.strftime("%Y-%m-%d %H:%M:%S.%f %a %A %b %B %j %y %p %I %U %W %%"), t + D.timedelta(days=1, hours=12), t - D.datetime(2023, 1, 1), t.replace(year=2020), D.datetime.strptime("2021-03-04 05:06", "%Y-%m-%d %H:%M"), D.datetime.fromisoformat("2024-01-02T03:04:05.678"), t.timestamp() if False else "", t > D.datetime(2024, 1, 1))
print(D.timedelta(1, 2, 3), repr(D.timedelta(hours=25)), D.timedelta(seconds=-1), D.timedelta(days=1.5).total_seconds(), D.timedelta(minutes=3) * 2, D.timedelta(hours=1) / D.timedelta(minutes=7), D.timedelta(days=10) // 3, D.date(2024, 12, 30).isocalendar(), D.date(2024, 3, 1) - D.date(2024, 2, 1), D.date.fromordinal(738000), D.date(2000, 1, 1).toordinal(), D.time(1, 2, 3), repr(D.date(2020, 1, 2)))
print(D.datetime(2024, 1, 1, tzinfo=D.timezone.utc), D.datetime(2024, 1, 1, tzinfo=D.timezone(D.timedelta(hours=2))).astimezone(D.timezone.utc), D.datetime.fromtimestamp(0, D.timezone.utc), D.datetime(1970, 1, 2, tzinfo=D.timezone.utc).timestamp(), f"{t:%d.%m.%Y}")
attempt(lambda: D.date(2023, 2, 29))
attempt(lambda: D.datetime.strptime("x", "%Y"))

print(hashlib.md5(b"abc").hexdigest(), hashlib.sha256(b"abc").hexdigest(), hashlib.new("sha1", b"x").digest(), hashlib.sha512().block_size)
h = hashlib.sha256()
h.update(b"ab")
k = h.copy()
h.update(b"c")
print(h.hexdigest() == hashlib.sha256(b"abc").hexdigest(), k.hexdigest() == hashlib.sha256(b"ab").hexdigest())
attempt(lambda: hashlib.md5("x"))
print(base64.b64encode(b"hello?>"), base64.b64decode("aGVsbG8="), base64.urlsafe_b64encode(b"\xff\xfe"), base64.b32encode(b"hello"), base64.b32decode("NBSWY3DP"), base64.b16encode(b"\x01\xab"), binascii.hexlify(b"az"), binascii.crc32(b"hello"))
attempt(lambda: base64.b64decode("abc"))
rows = list(csv.reader(io.StringIO('a,"b,c",d\n1,"x ""q""",\n"multi\nline",2,3\n')))
print(rows, list(csv.DictReader(io.StringIO("x,y\n1,2\n3\n"))))
w = io.StringIO()
cw = csv.writer(w)
cw.writerow(["a", 1, 2.5, None, 'q"q', "c,d", "l\nl"])
csv.writer(w, delimiter=";", quoting=csv.QUOTE_ALL).writerows([[1, "x"]])
dw = csv.DictWriter(w, ["p", "q"])
dw.writeheader()
dw.writerow({"p": 1})
print(repr(w.getvalue()))
data = {"a": [1, -5, 300, 2**70, 1.5, None, True], "t": (1, (2, 3), (4, 5, 6, 7), ()), "s": {1, 2}, "b": b"xyz", "f": frozenset([3]), "é": "ü"}
data["same"] = data["a"]
r = pickle.loads(pickle.dumps(data))
print(r == data, r["same"] is r["a"], pickle.loads(b"\x80\x04\x95\x16\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94]\x94(K\x01K\x02e\x8c\x01b\x94\x88u."))
pprint.pprint({"b": list(range(30)), "a": {"nested": "x" * 50, "other": ["y" * 30, "z" * 30]}})
pprint.pprint([1, 2]); print(pprint.pformat({"k": (1,), "s": "w " * 60}), pprint.pformat(list(range(40)), compact=True, width=40))
print(uuid.UUID("12345678123456781234567812345678"), uuid.uuid5(uuid.NAMESPACE_DNS, "x"), len(str(uuid.uuid4())), uuid.uuid4().version, uuid.UUID(int=5).hex)
text = "The quick brown fox jumped over the lazy dog and ran away from the well-known hunter."
print(textwrap.wrap(text, 30), textwrap.fill(text, 40, initial_indent="* ", subsequent_indent="  "), textwrap.shorten(text, 30), repr(textwrap.dedent("  a\n    b\n  c")), repr(textwrap.indent("a\n\nb", "> ")), textwrap.wrap("averyveryverylongword x", 8))
print(statistics.mean([1, 2, 3, 4]), statistics.mean([1.5, 2]), statistics.median([3, 1, 2, 4]), statistics.stdev([1, 2, 3, 4]), statistics.pvariance([1.5, 2.5, 4]), statistics.mode("aab"), statistics.quantiles([1, 2, 3, 4, 5]), statistics.harmonic_mean([40, 60]), statistics.multimode([1, 1, 2, 2]), statistics.fmean([1, 2]), statistics.variance([2, 4, 4, 5]), statistics.correlation([1, 2, 3], [2, 4, 7]))
attempt(lambda: statistics.mean([]))
print(struct.pack("<ihb2sf?", 1, -2, 3, b"ab", 1.5, True), struct.unpack("<ih", b"\x01\x00\x00\x00\xfe\xff"), struct.calcsize("bid"), struct.pack(">QqH", 2**64 - 1, -1, 65535), struct.unpack("<e", struct.pack("<e", 0.333)), list(struct.iter_unpack("<H", b"\x01\x00\x02\x00")), struct.Struct("<3h").pack(1, 2, 3), struct.unpack_from("<B", b"abc", 1))
for fn in (lambda: struct.pack("<b", 200), lambda: struct.unpack("<i", b"x"), lambda: struct.pack("z", 1), lambda: struct.pack("<h"), lambda: struct.pack("<i", "a"), lambda: struct.pack("<I", -1)):
    attempt(fn)
print(isinstance(3, numbers.Number), isinstance(1.5, numbers.Real), isinstance(2, numbers.Integral), isinstance("x", numbers.Number), isinstance(1.5, numbers.Integral))
Q = queue.Queue()
Q.put(1)
print(Q.get(), Q.empty(), gc.collect() >= 0, weakref.ref(Q)() is Q, threading.current_thread().name)
attempt(lambda: Q.get_nowait())
try:
    1 / 0
except ZeroDivisionError as e:
    print(traceback.format_exception_only(e), traceback.format_exc().splitlines()[0], traceback.format_exc().splitlines()[-1])
