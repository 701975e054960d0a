import string; print(string.ascii_letters, string.digits, string.hexdigits, string.octdigits)

import string; print(repr(string.punctuation), repr(string.whitespace), len(string.printable), string.ascii_lowercase, string.ascii_uppercase)

import string; print(string.capwords('hello world  again'), string.capwords('a-b-c', '-'))

from string import Template; print(Template('$a and ${b}c $$').substitute(a=1, b='x'), Template('$x').substitute({'x': 5}))

from string import Template; Template('$missing').substitute()

from string import Template; print(Template('$missing $a').safe_substitute(a=1), Template('$').safe_substitute(), Template('a$b').template)

from string import Template; Template('bad $ here').substitute()

from string import Template; print(Template('$a-$b').substitute({'a': 1}, b=2), Template('${_x1}').substitute(_x1='ok'))

from string import Template
class T(Template): delimiter = '%'
print(T('%name is 100%%').substitute(name='x'))

from string import Formatter; print(Formatter().format('{} {x!r:>5}', 1, x='a'), list(Formatter().parse('a{b!r:c}d{}')))

from string import Formatter
class F(Formatter):
    def get_value(self, k, a, kw): return kw.get(k, f'<{k}>') if isinstance(k, str) else super().get_value(k, a, kw)
print(F().format('{a} {b}', a=1))

from string import Formatter
class F(Formatter):
    def format_field(self, v, spec): return super().format_field(v, spec).upper()
print(F().format('{:>4}', 'ab'))

from string import Formatter
class F(Formatter):
    def convert_field(self, v, c): return v * 2 if c == 'd' else super().convert_field(v, c)
print(F().vformat('{0!d} {k!s}', ('x',), {'k': 1}))

from string import Formatter; print(Formatter().vformat('{a.real} {b[0]}', (), {'a': 3, 'b': [7]}), Formatter().get_field('0.imag', (1j,), {}))

from string import Formatter; Formatter().format('{} {}', 1)

from string import Formatter; Formatter().format('{x}', 1)

from string import Template; print(Template('a $b').substitute(b=[1]), repr(Template('q').template), Template('$A $a').substitute(A=1, a=2))

import string; t = str.maketrans('', '', string.punctuation); print('he,l.l!o'.translate(t), ''.join(c for c in 'a1b2' if c in string.digits))

from string import Template; print(Template('${a}${b}').substitute(a='x', b='y'), Template('\n$a\n').substitute(a=0), Template.delimiter)

import string, random; random.seed(3); print(''.join(random.choices(string.ascii_lowercase + string.digits, k=8)))

from string import Template; print(Template('$a ${b} $$ $c').get_identifiers(), Template('$a').is_valid(), Template('$ x').is_valid())
