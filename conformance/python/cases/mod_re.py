import re; m = re.match(r'(\w+) (\d+)', 'abc 123 x'); print(m.group(), m.group(1), m.group(1, 2), m.groups(), m.start(), m.end(2), m.span(1), m[2], m.string, m.pos, m.lastindex)

import re; print(re.findall(r'\d+', 'a1b22'), re.findall(r'(\w)(\d)', 'a1b2'), re.findall('x', 'a'), re.findall(r'a|b', 'abc'), re.findall('', 'ab'))

import re; print(re.sub(r'\d', '#', 'a1b2'), re.sub(r'(\w)(\d)', r'\2\1', 'a1'), re.sub('a', lambda m: m.group().upper(), 'banana', count=2), re.subn('a', 'x', 'aa'), re.sub(r'(?P<n>a)', r'<\g<n>>', 'a'))

import re; print(re.split(r'[,;]\s*', 'a, b;c'), re.split(r'(,)', 'a,b'), re.split(',', 'a,b,c', maxsplit=1), re.split(r'\b', 'a b'), re.split('x*', 'axb'))

import re; m = re.search(r'(?P<y>\d{4})-(?P<m>\d\d)', 'on 2020-05'); print(m.groupdict(), m['y'], m.group('m'), m.lastgroup, m.start('y'), m.expand(r'\g<m>/\1'))

import re; print(re.match('a', 'ba'), re.search('a', 'ba').start(), re.fullmatch('a+', 'aab'), re.fullmatch('a+', 'aa').group())

import re; print(re.findall('a.c', 'a\nc abc'), re.findall('a.c', 'a\nc', re.S), re.findall('^a', 'a\na', re.M), re.findall('A', 'aA', re.I), re.findall(r'a b # c', 'ab', re.X))

import re; p = re.compile(r'(a)(b)?', re.I); print(p, p.pattern, p.flags, p.groups, p.groupindex, p.match('A').groups(), p.match('A').groups('-'))

import re; print(re.findall(r'(?<=a)b', 'ab cb'), re.findall(r'a(?!b)', 'ab ac'), re.findall(r'(?<!a)b', 'ab cb'), re.findall(r'a(?=c)', 'ab ac'), re.findall(r'(a)\1', 'aa ab'))

import re; print(re.findall(r'a*?', 'aa'), re.findall(r'a+?', 'aa'), re.findall(r'a{2,3}', 'aaaaa'), re.findall(r'<.*?>', '<a><b>'), re.findall(r'a{,2}', 'aaa'))

import re; print([m.span() for m in re.finditer(r'\w+', 'ab cd')], [m.group() for m in re.finditer('', 'ab')], re.compile('b').search('abcb', 2).start(), re.compile('^b').match('ab', 1))

import re; print(re.escape('a.b*c'), re.escape('a b-c_d'), re.match(re.escape('1+1'), '1+1').group())

import re; re.compile('(')

import re
for p in ['*', '[a', 'a)', '(?P<1>a)', r'\1', '(?P=x)', 'a{2,1}', r'[z-a]', '(?z)', '\\']:
    try: re.compile(p); print(p, 'ok')
    except re.error as e: print(repr(p), e, e.pos)

import re; re.match('a', 'a').group(5)

import re; re.match('a', 5)

import re; print(re.findall(r'\bfoo\b', 'foo food foo'), re.findall(r'\Bo', 'foo'), re.findall(r'\S+', ' a b '), re.findall(r'[^\W\d_]+', 'ab1_c'), re.findall(r'\D', 'a1'))

import re; print(re.sub('x*', '-', 'abxd'), re.sub('', '-', 'ab'), re.sub(r'\n', r'\\n', 'a\nb'), re.sub('a', r'\t', 'a'), re.sub('(a)|b', r'[\1]', 'ab'))

import re; print(re.findall(r'(?i)abc', 'ABC'), re.findall(r'(?i:a)b', 'Ab AB'), re.findall(r'(?x) a b', 'ab'), re.findall(r'(?s).', '\n'), re.findall(r'(?m)^.', 'a\nb'))

import re; print(re.match(r'(a)|(b)', 'b').groups(), re.match(r'(a)?(b)', 'b').span(1), re.match(r'(?:a|b)+', 'abab').group(), re.match(r'(a|ab)(c|bcd)(d*)', 'abcd').groups())

import re; print(re.findall('é', 'éa'), re.findall(r'\w', 'éñ1'), re.findall(r'\w', 'é', re.A), re.findall('[à-ü]', 'é'), re.findall('É', 'é', re.I))

import re; print(re.findall(b'a.', b'ab'), re.sub(b'a', b'x', b'a'), re.match(rb'\d', b'1').group()); re.match(b'a', 'a')

import re; m = re.match('a', 'abc'); print(m, bool(m), m.re.pattern, m.endpos, re.match('x', 'a') is None, repr(re.compile('a', re.I | re.M)))

import re; print(re.match(r'(?P<a>x)(?(a)y|z)', 'xy').group(), re.findall(r'(?#comment)a', 'a'), re.findall(r'\Aa|b\Z', 'ab'), re.findall('$', 'a\n'))

import re; print(re.sub(r'(\d+)', lambda m: str(int(m[1]) * 2), 'a1b20'), re.sub('a', 'b', 'aaa', 1), re.compile('a').sub('b', 'aa'), re.compile(r'\s').split('a b'), re.purge())

import re; print(int(re.I), int(re.IGNORECASE | re.M), int(re.compile('a', re.I).flags & re.I), re.I == 2)

import re; s = 'layers.0.attn.weight'; print(re.sub(r'layers\.(\d+)', r'blocks.\1', s), re.match(r'layers\.(\d+)\.(.*)', s).groups(), re.search(r'\.(\w+)$', s).group(1))
