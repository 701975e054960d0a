import re


def attempt(f):
    try:
        print(f())
    except re.error as e:
        print("re.error", e, e.pos)
    except Exception as e:
        print(type(e).__name__, e)


m = re.match(r"(?P<a>\w+)\s(?P<b>\d+)?(x)?", "héllo 42 rest")
print(m, m.group(), m.group(1), m.group("b"), m.group(1, 2), m.groups(), m.groups("-"), m.groupdict(), m.span("b"), m.start(3), m.end(), m["a"], m.lastindex, m.lastgroup, m.string, m.pos, m.endpos)
print(re.match("b", "abc"), re.search("b", "abc"), re.fullmatch("ab", "abc"), re.fullmatch("a.c", "abc"))
print(re.findall(r"\d+", "a1b22c333"), re.findall(r"(\w)(\d)", "a1b2"), re.findall(r"(\w)\d", "a1b2"), re.findall("", "abc"), re.findall("a|", "aab"), re.findall("|a", "aab"))
print([x.span() for x in re.finditer("a*", "baac")], re.split(r"\s*,\s*", "a , b,c"), re.split("(,)", "a,b,c", 1), re.split("x*", "axbc"), re.split(r"(a)|b", "1a2b3"))
print(re.sub("a", "b", "aaa"), re.sub("a", "b", "aaa", count=2), re.sub(r"(\w)(\d)", r"\2\1", "a1b2"), re.sub(r"(?P<x>\w)", r"<\g<x>>", "ab"), re.sub("(a)|b", r"[\1]", "ab"), re.subn("a", "", "banana"))
print(re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "a1 b20"), re.sub("x*", "-", "abxd"), re.sub("", "-", "ab"), re.sub("a", r"\n\\\t", "a"), re.sub("(a)", r"\g<0>\g<1>1", "a"))
print(re.escape("a.b*c+[d] e-f/g_h"), re.compile("a+b").pattern, re.compile("a", re.I | re.M).flags, re.compile("(?i)a").flags, re.compile(b"a").flags)
print(re.compile(r"(a)(?P<n>b)(?:c)").groups, re.compile(r"(a)(?P<n>b)").groupindex)
print(re.findall("^a", "a\na"), re.findall("^a", "a\na", re.M), re.findall("a$", "a\na\n"), re.findall("a$", "a\na\n", re.M), re.findall(r"a\Z", "a\n"), re.findall("a.b", "a\nb"), re.findall("a.b", "a\nb", re.S))
print(re.findall("HÉ", "hé", re.I), re.findall(r"\w+", "hé_1 ü²", re.A), re.findall(r"\w+", "hé_1 ü²"), re.findall(r"\d", "1٣²"), re.findall(r"[^\W\d_]+", "ab1_c"), re.findall(r"\bfoo\b", "foo food foo"), re.findall(r"\s", "a \t\x1c\u2003"))
print(re.findall(r"""
    \d+   # digits
    [ ]?  # a space
    x \  y
""", "12 x y", re.X))
print(re.findall(r"(?<=a)b", "abcb"), re.findall(r"(?<!a)b", "abcb"), re.findall(r"a(?=b)", "abac"), re.findall(r"a(?!b)", "abac"), re.findall(r"(a)?(?(1)b|c)", "ab c"), re.findall(r"(?>a+)b", "aab"), re.findall(r"a++b", "aab"), re.findall("a{2}", "aaaa"), re.findall("a{,2}b", "aaab"), re.findall("a{1,}?", "aa"), re.findall("a{x}", "a{x}"), re.findall("{", "{"))
print(re.findall(r"(\w)\1", "aabbc"), re.findall(r"(?P<q>['\"]).*?(?P=q)", "'a' \"b'"), re.findall(r"[]a]", "]a"), re.findall(r"[a\]-]", "a]-"), re.findall(r"[a-c-e]", "b-e"), re.findall(r"[[a]", "[a"), re.findall(r"[\d.]+", "1.5"), re.findall(r"[^a]", "ab\n"), re.findall(r"\x41\u0042\103\0", "ABC\0"), re.findall(r"[\b]", "\b"))
print(re.findall(r"(?i:A)b", "ab aB"), re.findall(r"(?s:.)(.)?", "\nx"), re.findall(r"(?m)^b", "a\nb"), re.findall(r"a(?#comment)b", "ab"))
print(re.match(rb"(\w+)\xff", b"ab\xff").groups(), re.sub(b"a", b"b", b"aa"), re.findall(rb"\w", b"a\xe9"), re.split(b",", b"a,b"))
p = re.compile("a(b)?")
print(p.match("xab", 1), p.search("abab", 1, 3), p.fullmatch("ab"), p.findall("abaab", 1), p, repr(re.compile("x", re.I | re.S)), p == re.compile("a(b)?"), p.match("ab").expand(r"<\1>"), p.match("a").groups())
print(re.match(r"((a)(b))c?", "ab").lastindex, re.match(r"(a)(b)?", "a").lastindex, re.match(r"(a)|(?P<z>b)", "b").lastgroup, bool(re.match("a", "a")), re.match("a", "a").regs)
print(re.compile("^a").search("ba", 1), re.compile("a$").search("ab", 0, 1), re.sub(r"(?m)^", "> ", "a\nb"))
for bad in ("(", ")", "[", "a)", "*", "a**", "+a", "(?P<n>a)(?P<n>b)", "(?P<1>a)", "(?P=x)", r"\q", "\\", r"\1", "[b-a]", "(?z)", "(?P", "(?", "(?P>a)", "a{3,1}", "(?P<a", "(?<a)", r"(a\1)", "[\\d-z]", "a(?i)b", "(?i", "x{2}{3}", r"\xg", "(?#", "(?P<>a)"):
    attempt(lambda: re.compile(bad).pattern)
for f in (lambda: re.sub("a", r"\1", "a"), lambda: re.sub("a", r"\g<x>", "a"), lambda: re.sub("a", "\\", "a"), lambda: re.sub("a", r"\q", "a"), lambda: re.match("a", 5), lambda: re.match("a", b"a"), lambda: re.match(b"a", "a"), lambda: re.match("a", "a").group(1), lambda: re.match("a", "a").group("q"), lambda: re.compile(5)):
    attempt(f)
words = re.compile(r"'s|'t| ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+(?!\S)|\s+")
print(words.findall("Hello world's 123!  foo\n bar"))
print(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", "camelCaseName").lower(), re.match(r"(\d+)-(\d+)", "10-20").groups())
print([m.group() for m in re.finditer(r"\w+", "one two")], re.search(r"(?P<year>\d{4})-(?P<mon>\d\d)", "on 2024-05-01").groupdict())
