"""Writes regexps.jsonl: random calls of re and what CPython 3.11 makes of them.

    /usr/bin/python3 regexps.py > regexps.jsonl

Each line is [expression, result] as in expressions.jsonl; m(…) is the span and the groups of a match, or None. Calls that
take long are left out.
"""

import json
import random
import re
import resource
import signal

CHARS = ["a", "b", "c", "ab", "x", "1", "_", " ", "é", "A", "ß", r"\.", "-", r"\n", r"\t", r"\x41", r"\\", r"\-", r"\u00e9", "ſ"]
CLASSES = [r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", ".", "[abc]", "[^a]", "[a-c]", r"[\w-]", r"[^\s,]", "[]a]", "[^]]", "[a-cx-z1]", r"[\d.]", "[é-ü]", r"[\]\[]"]
ANCHORS = ["^", "$", r"\b", r"\B", r"\A", r"\Z"]
REPEATS = ["*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "*?", "+?", "??", "{1,2}?", "*+", "++", "?+"]
WORDS = ["", "a", "ab", "abc", "aab", "abcabc", "a1b2", "Hello", "foo bar", "a-b_c", "x\ny", "a\n", "éa", "ABC", "aaa", "1 22 333", "b,a;c",
         "ab ab", "..", "a.b", "\tx", "ßS", "日本 a", "aXbXc", "abab\nab", "ſs", "[a]", "a\\b"]
FLAGS = ["0", "re.I", "re.M", "re.S", "re.X", "re.A", "re.I | re.M", "re.M | re.S"]
TEMPLATES = [r"<\\g<0>>", "X", "", r"\\1", r"[\\g<1>]", r"\\\\", r"\\n", r"\\g<n>", r"\\2", "lambda m: m.group().upper()", "lambda m: str(m.span())"]


class Maker:
    def __init__(self, r):
        self.r, self.groups, self.named = r, 0, False

    def piece(self, depth):
        r = self.r
        k = r.random()
        if depth <= 0 or k < 0.45:
            return r.choice(CHARS)
        if k < 0.62:
            return r.choice(CLASSES)
        if k < 0.70:
            return r.choice(ANCHORS)
        if k < 0.80:
            self.groups += 1
            return "(" + self.alt(depth - 1) + ")"
        if k < 0.86:
            return r.choice(["(?:", "(?=", "(?!", "(?i:", "(?s-i:", "(?>"]) + self.alt(depth - 1) + ")"
        if k < 0.90:
            return r.choice(["(?<=", "(?<!"]) + r.choice(["a", "b", "ab", r"\d", r"\b", "^", "[ab]c", "a|b"]) + ")"
        if k < 0.93 and not self.named:
            self.named = True
            self.groups += 1
            return "(?P<n>" + self.alt(depth - 1) + ")"
        if k < 0.96 and self.groups:
            return r.choice([r"\1", "(?P=n)" if self.named else r"\1", f"\\{self.groups}"])
        if k < 0.975 and self.groups:
            return "(?(1)" + r.choice(CHARS) + "|" + r.choice(CHARS) + ")"
        return r.choice(["(?#note)", "(?i)", "[", ")", "*", "{", "(?P<n", "\\", r"\q", "a{2,1}", "(?<=a+)", "(?P=zz)", r"\8", "[b-a]", "(?z)", "(?P<1a>x)", "[[:alpha:]]"])

    def seq(self, depth):
        out = ""
        for _ in range(self.r.choice([1, 1, 2, 2, 3])):
            out += self.piece(depth)
            if self.r.random() < 0.3:
                out += self.r.choice(REPEATS)
        return out

    def alt(self, depth):
        out = self.seq(depth)
        while self.r.random() < 0.2:
            out += "|" + ("" if self.r.random() < 0.2 else self.seq(depth))
        return out


class Slow(BaseException):
    pass


def alarm(*_):
    raise Slow


def m(match):
    return match and (match.span(), match.groups(), match.lastindex, match.lastgroup)


def main():
    import warnings
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))  # some of CPython's own loops end in no memory
    signal.signal(signal.SIGALRM, alarm)
    r = random.Random(1968)
    seen, faults = set(), {}
    while len(seen) < 3000:
        pattern = Maker(r).alt(r.choice([1, 2, 2, 3]))
        subject = r.choice(WORDS) + r.choice(["", "", r.choice(WORDS)])
        flags = r.choice(FLAGS) if r.random() < 0.5 else "0"
        p, s = repr(pattern), repr(subject)
        if r.random() < 0.12 and pattern.isascii() and subject.isascii() and r"\u" not in pattern:
            p, s = "b" + p, "b" + s
        tail = "" if flags == "0" else ", flags=" + flags
        k = r.random()
        if k < 0.5:
            text = f"m(re.{r.choice(['search', 'match', 'fullmatch'])}({p}, {s}{tail}))"
        elif k < 0.68:
            text = f"re.findall({p}, {s}{tail})"
        elif k < 0.76:
            text = f"re.split({p}, {s}{r.choice(['', ', 1', ', 2'])}{tail})"
        elif k < 0.90 and p[0] != "b":
            t = r.choice(TEMPLATES)
            t = t if t.startswith("lambda") else "'" + t + "'"
            text = f"re.{r.choice(['sub', 'subn'])}({p}, {t}, {s}{r.choice(['', ', 1'])}{tail})"
        elif k < 0.95:
            text = f"[m(x) for x in re.finditer({p}, {s}{tail})]"
        elif p[0] != "b":
            text = f"m(re.compile({p}{', ' + flags if tail else ''}).{r.choice(['search', 'match'])}({s}, {r.randint(0, 3)}, {r.randint(3, 6)}))"
        else:
            continue
        if text in seen:
            continue
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            try:
                v = eval(text, {"re": re, "m": m})
                result = type(v).__name__ + " " + repr(v)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except (Slow, MemoryError):
            continue
        except Exception as e:
            result = type(e).__name__ + ": " + str(e)
            key = result[:24]
            faults[key] = faults.get(key, 0) + 1
            if faults[key] > 30:
                continue
        seen.add(text)
        print(json.dumps([text, result], ensure_ascii=False))


main()
