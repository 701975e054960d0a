import string; print(string.ascii_lowercase, string.ascii_uppercase, string.digits, string.hexdigits, string.octdigits, string.ascii_letters)

import string; print(repr(string.punctuation), repr(string.whitespace), len(string.printable))

from string import Template; t = Template('$a and ${b} $$'); print(t.substitute(a=1, b=2), t.safe_substitute(a=1), t.template)

from string import Template; Template('$x').substitute()

from string import Template; Template('$').substitute()

import string; print(string.capwords('hello  big world'), string.capwords('a-b', '-'))

from string import Formatter; print(Formatter().format('{0} {x}', 1, x=2), list(Formatter().parse('a{b:c}d')))

import textwrap; print(textwrap.dedent('  a\n    b\n  c'), textwrap.dedent('\ta\n\tb'))

import textwrap; print(textwrap.indent('a\nb\n\nc', '> '), textwrap.indent('a\n\nb', '-', lambda l: True))

import textwrap; print(textwrap.wrap('the quick brown fox jumps over the lazy dog', 15))

import textwrap; print(textwrap.fill('the quick brown fox', 10, initial_indent='* ', subsequent_indent='  '))

import textwrap; print(textwrap.shorten('hello big wide world', 12), textwrap.shorten('hello', 10), textwrap.shorten('a b c d', 5, placeholder='..'))

import textwrap; print(textwrap.wrap('averyveryverylongword short', 8), textwrap.wrap('averylong', 4, break_long_words=False), textwrap.wrap('', 5))

import textwrap; print(textwrap.wrap('a-b c-d-e hyphen-ated words', 9))

import textwrap; w = textwrap.TextWrapper(width=20, max_lines=2); print(w.wrap('one two three four five six seven eight nine ten'))

import textwrap; print(repr(textwrap.fill('a\nb  c\td', 40)), textwrap.wrap('x  y', 10, drop_whitespace=False))

import string
class F(string.Formatter):
    def get_value(self, k, a, kw): return kw.get(k, '?') if isinstance(k, str) else a[k]
print(F().format('{a} {b}', a=1))

import textwrap
def f():
    """Doc.
    More:
        code
    """
print(textwrap.dedent(f.__doc__))

import textwrap; textwrap.wrap('a', 0)

from string import Template
class T(Template): delimiter = '%'
print(T('%a $b').substitute(a=1), T('%(a)s' if False else '%{a}').substitute({'a': 2}))
