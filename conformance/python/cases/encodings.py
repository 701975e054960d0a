print('aé'.encode('utf-16'), 'a'.encode('utf-16-le'), 'a'.encode('utf-16-be'), 'a'.encode('utf-32'), '😀'.encode('utf-16-le'))

print(b'\xff\xfea\x00'.decode('utf-16'), b'\xfe\xff\x00a'.decode('utf-16'), b'a\x00'.decode('utf-16-le'), b'\x00a'.decode('utf-16-be'), '😀x'.encode('utf-16').decode('utf-16'), 'é'.encode('utf-32').decode('utf-32'))

b'a'.decode('utf-16-le')

print('aé\n\\\t€😀'.encode('unicode_escape'), b'\\n\\x41\\u00e9\\101\\\\q\\q'.decode('unicode_escape'), b'\xe9'.decode('unicode_escape'))

b'\\x4'.decode('unicode_escape')

print('é€\\n'.encode('raw_unicode_escape'), b'\\u20ac\\n\xe9'.decode('raw_unicode_escape'))

print('a'.encode('utf-8-sig'), b'\xef\xbb\xbfab'.decode('utf-8-sig'), b'ab'.decode('utf-8-sig'))

print('é'.encode(), 'é'.encode('latin-1'), b'\xc3\xa9'.decode(), b'\xe9'.decode('latin1'), 'abc'.encode('ascii'))

'é'.encode('ascii')

b'\xff'.decode('utf-8')

print('é'.encode('ascii', 'ignore'), 'é'.encode('ascii', 'replace'), 'é'.encode('ascii', 'xmlcharrefreplace'), 'é'.encode('ascii', 'backslashreplace'), b'a\xffb'.decode('utf-8', 'replace'), b'a\xffb'.decode('utf-8', 'ignore'), b'a\xffb'.decode('utf-8', 'backslashreplace'))

'a'.encode('nope')

print('x'.encode(encoding='utf-8', errors='strict'), str(b'ab', 'utf-8'), str(b'\xe9', encoding='latin-1'), bytes('é', 'utf-8'), bytearray('a', 'ascii'))

open('f', 'w', encoding='latin-1').write('é'); print(open('f', 'rb').read(), open('f', encoding='latin-1').read()); open('f', encoding='utf-8').read()

print(ascii('é€'), len('😀'), '😀'.encode())

print('ß'.upper(), 'İ'.lower(), 'ǆ'.title(), 'ﬁ'.casefold(), 'é'.isalpha(), '٣'.isdigit(), '½'.isnumeric(), '²'.isdecimal())

print('e\u0301' == 'é', len('e\u0301'), 'é'.center(5, '*'), '日本'.ljust(4, '-'), '日本'[::-1])

for e in ('utf-8', 'UTF8', 'utf_8', 'U8', 'latin_1', 'L1', 'ascii', 'US-ASCII'):
    try: print(e, 'a'.encode(e))
    except LookupError as x: print(e, x)

try: b'\xff\xfe'.decode('utf-8')
except UnicodeDecodeError as e: print(e.encoding, e.object, e.start, e.end, e.reason)
try: 'a€'.encode('latin-1')
except UnicodeEncodeError as e: print(e.encoding, e.object, e.start, e.end, e.reason)

print('a\x00b'.encode(), b'\x00'.decode(), '\x7f\x80'.encode('latin-1'), '\N{GREEK SMALL LETTER ALPHA}', '\u03b1'.encode('unicode_escape'))
