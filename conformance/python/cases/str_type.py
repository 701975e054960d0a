s = 'hello world'; print(s.upper(), s.title(), s.capitalize(), s.swapcase(), s.casefold(), 'ß'.casefold(), 'ß'.upper())

print('a,b,,c'.split(','), ' a  b '.split(), 'abc'.split('b', 1), 'a b c'.rsplit(None, 1), ''.split(), ''.split(','))

print('  x '.strip(), 'xxaxx'.strip('x'), 'abc'.lstrip('ab'), 'abc'.rstrip('bc'))

print('abcabc'.find('c'), 'abcabc'.rfind('c'), 'abc'.find('z'), 'abc'.index('b'), 'abcabc'.count('bc'), 'aaa'.count('aa'), 'abc'.count(''))

'abc'.index('z')

print('a-b-c'.replace('-', '+'), 'aaa'.replace('a', 'b', 2), 'abc'.replace('', '.'))

print('-'.join(['a', 'b']), ''.join('xyz'), ','.join(str(i) for i in range(3)))

', '.join([1, 2])

print('abc'.startswith('a'), 'abc'.startswith(('x', 'ab')), 'abc'.endswith('bc', 1), 'abc'.startswith('b', 1))

print('abc'.center(7), 'abc'.center(8, '*'), 'a'.ljust(3, '.'), 'a'.rjust(3), '42'.zfill(5), '-42'.zfill(5), '+1'.zfill(4))

print('a.b.c'.partition('.'), 'a.b.c'.rpartition('.'), 'abc'.partition('x'), 'abc'.rpartition('x'))

print('abc'.isalpha(), '12'.isdigit(), 'a1'.isalnum(), ' '.isspace(), 'Ab'.istitle(), 'AB'.isupper(), 'ab'.islower(), 'a_1'.isidentifier(), ''.isalpha(), '½'.isnumeric(), '²'.isdigit(), '²'.isdecimal(), 'é'.isascii(), '\n'.isprintable())

print('a\nb\r\nc\n'.splitlines(), 'a\nb'.splitlines(True), '\n'.splitlines(), 'a\x0bb\x1cc\u2028d'.splitlines())

print('abc'[1], 'abc'[-1], 'abc'[::-1], 'abcdef'[1:5:2], 'abc'[5:], 'abc'[-2:])

'abc'[5]

'abc'['a']

print('a' + 'b', 'ab' * 3, 3 * 'x', 'a' * -1, 'b' in 'abc', '' in 'a')

print('abc' < 'abd', 'Z' < 'a', '' < 'a', 'a' == 'a', max('hello'), sorted('hello'))

print(repr('a\'b"c\n\t\\\x00\x7fé\u200b\U0001f600'), ascii('é\U0001f600'))

print(len('é\U0001f600'), [c for c in 'a\U0001f600'], ord('€'), chr(8364), '\u20ac\N{EURO SIGN}')

print('abc'.encode(), 'é'.encode('utf-8'), 'é'.encode('latin-1'), 'é€'.encode('ascii', 'replace'), 'é'.encode('ascii', 'ignore'), 'é'.encode('ascii', 'backslashreplace'), 'a'.encode('utf-16-le'))

print('Abc'.translate({65: 'x', 98: None}), 'abc'.translate(str.maketrans('ab', 'xy', 'c')), str.maketrans({'a': 1}))

print('prefix_x'.removeprefix('prefix_'), 'x.py'.removesuffix('.py'), 'x'.removeprefix('y'))

print('a\tb'.expandtabs(4), 'ab\tc'.expandtabs(), '\t'.expandtabs(0) == '')

print(str(1), str(1.5), str(None), str(b'x'), str(b'x', 'ascii'), str([1, 'a']), str())

print('abc'.__len__(), 'abc'.__getitem__(0), 'a'.__add__('b'), 'a'.__eq__(1), str.upper('x'), str.join('-', 'ab'))

class S(str):
    def shout(self): return self.upper() + '!'
s = S('hi'); print(s, s.shout(), s + 'x', type(s + 'x').__name__, isinstance(s, str), s == 'hi', {s: 1}['hi'])

'a' + 1

'a' - 'b'

1 + 'a'

'a' * 'b'

print('x'.nope)

'abc'.upper(1)

'a'.split(1)

int('1' * 30 + 'z')

print('%s' % 'a', 'a' 'b' "c", '''x
y''', r'\n', '\
joined')

print('dž'.title(), 'ŉ'.upper(), 'İ'.lower(), 'ΑΣ'.lower(), "they're bill's".title())

print('a b'.split(' '), ' '.join(' a  b '.split()), 'a::b'.split('::'), 'abc'.split('abc'))

print(hash('a') == hash('a'), 'a' is 'a', id('a') == id('a'), 'abc'.__contains__('b'), 'a'.__hash__() == hash('a'))
