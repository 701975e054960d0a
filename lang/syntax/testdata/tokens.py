"""Writes tokens.jsonl: texts and CPython 3.11's tokens of them.

    /usr/bin/python3 tokens.py > tokens.jsonl

The texts are the other files here, whole, and random runs of lines made of pieces that the language's lexical
grammar allows. Each line of the output is {"text": ..., "tokens": [[kind, text, line, column, line, column], ...]};
comments and NL are left out, columns count code points from 0.
"""

import io
import json
import random
import tokenize

PIECES = """
x _y1 größe Ωmega naïve if else lambda None True async match case print __init__
0 7 12_345 0x1F 0b10_1 0o17 1.5 .5 3. 1e9 2.5E-3 1_0.0_1e+1_0 3j 1.5J 0xdead_beef 00 0_0
'' "" 'a' "b'c" 'd\\'e' r'\\n' b"\\x00" rb'\\' Rb"x" f'{x}' f"{x!r:>{y}}" F'{{}}' u'ü' '日本'
+ - * / // % @ ** << >> & | ^ ~ < > <= >= == != = += -= *= /= //= %= @= **= <<= >>= &= |= ^= := -> . ... , : ;
""".split()


def line(r, depth=0):
    out = []
    for _ in range(r.randint(1, 7)):
        k = r.random()
        if k < 0.12 and depth < 4:
            a, b = r.choice(["()", "[]", "{}"])
            sep = r.choice(["", " ", "\n", "\n    ", " # in\n"])
            out.append(a + sep + line(r, depth + 1) + r.choice(["", "\n", "  \n\t"]) + b)
        elif k < 0.16:
            q = r.choice(["'''", '"""'])
            out.append(r.choice(["", "r", "b", "f"]) + q + r.choice(["", "a", "a\nb", "\\\\", "\\\n", " '\" "]) + " " + q)
        elif k < 0.20 and out:  # tokenize.py takes a joined line that begins so for an indented one, the compiler does not
            out.append("\\\n" + r.choice(["", "  ", "\t"]) + "z")
        else:
            out.append(r.choice(PIECES))
    return r.choice([" ", "  ", "\t"]).join(out)


def block(r, indent=""):
    text = ""
    for _ in range(r.randint(1, 4)):
        text += indent + line(r) + r.choice(["", "", "  # note", " "]) + "\n" + r.choice(["", "", "\n", "    # lone\n", "  \n"])
        if r.random() < 0.3 and len(indent) < 9:
            text += block(r, indent + r.choice([" ", "    ", "\t"]))
    return text


def tokens(text):
    out = []
    for t in tokenize.generate_tokens(io.StringIO(text).readline):
        if t.type == tokenize.ERRORTOKEN:
            return None
        if t.type not in (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING):
            out.append([tokenize.tok_name[t.type], t.string, *t.start, *t.end])
    return out


def main():
    r = random.Random(311)
    texts = [open(f, encoding="utf-8").read() for f in ("statements.py", "expressions.py")]
    while len(texts) < 300:
        text = block(r)
        if r.random() < 0.2:
            text = text.rstrip("\n")
        try:
            if tokens(text) is not None:
                texts.append(text)
        except (tokenize.TokenError, IndentationError):
            pass
    for text in texts:
        print(json.dumps({"text": text, "tokens": tokens(text)}, ensure_ascii=False, separators=(",", ":")))


main()
