import io; s = io.StringIO('a\nb\n'); print(s.read(1), s.readline(), s.readlines(), s.read(), s.tell())

import io; s = io.StringIO(); print(s.write('abc'), s.getvalue(), s.tell()); s.seek(1); s.write('X'); print(s.getvalue()); s.truncate(2); print(s.getvalue())

import io; b = io.BytesIO(b'abcdef'); print(b.read(2), b.read(), b.seek(1), b.read(1), b.getvalue(), b.tell())

import io; b = io.BytesIO(); b.write(b'xy'); b.seek(5); b.write(b'z'); print(b.getvalue(), b.getbuffer().__len__())

import io; s = io.StringIO('x'); s.close(); print(s.closed); s.read()

import io; io.StringIO().write(b'x')

import io; io.BytesIO().write('x')

import io; print([l for l in io.StringIO('1\n2\n3')], list(io.BytesIO(b'a\nb')))

import io
with io.StringIO('z') as s: print(s.read())
print(s.closed)

import io; s = io.StringIO('abc'); print(s.readable(), s.writable(), s.seekable(), s.isatty()); s.fileno()

import io; s = io.StringIO('ab\r\ncd\r'); print(repr(s.read()), repr(io.StringIO('ab\r\ncd\r', newline=None).read()))

import io; s = io.StringIO('abc'); print(s.seek(0, 2), s.seek(0), s.seek(0, 1)); s.seek(1, 1)

import io; b = io.BytesIO(b'abc'); print(b.seek(-1, 2), b.read(), b.seek(-2, 1), b.read()); b.seek(-1)

import io; b = io.BytesIO(b'abcd'); a = bytearray(3); print(b.readinto(a), a, b.readinto(a), a, b.readinto(a))

import io; b = io.BytesIO(b'abc'); print(b.truncate(1), b.getvalue(), b.readline(), b.read1(5), b.readlines())

import io; t = io.TextIOWrapper(io.BytesIO(b'h\xc3\xa9\nx'), encoding='utf-8'); print(repr(t.readline()), repr(t.read()), t.encoding)

import io; raw = io.BytesIO(); t = io.TextIOWrapper(raw, encoding='utf-8', write_through=True); t.write('é'); t.flush(); print(raw.getvalue())

import io; print(io.SEEK_SET, io.SEEK_CUR, io.SEEK_END, io.DEFAULT_BUFFER_SIZE, isinstance(io.StringIO(), io.TextIOBase), isinstance(io.BytesIO(), io.BufferedIOBase), isinstance(io.BytesIO(), io.IOBase))

import io; s = io.StringIO(); print('a', 1, sep='-', end='!', file=s); s.writelines(['x', 'y']); print(s.getvalue())

import io
try: io.StringIO('x').detach()
except io.UnsupportedOperation as e: print(type(e).__name__, e, isinstance(e, OSError), isinstance(e, ValueError))

import io; s = io.StringIO('one two'); print(s.read(3), s.read(-1), repr(s.read(1)), s.readline()); s.seek(0); print(s.readline(2), s.readlines(1))

import io, contextlib
b = io.StringIO()
with contextlib.redirect_stdout(b): print('hidden')
print(repr(b.getvalue()))

import io
with open('f', 'w') as f: f.write('hi')
with io.open('f') as f: print(f.read(), isinstance(f, io.TextIOWrapper), type(f).__name__)
with open('f', 'rb') as f: print(type(f).__name__, isinstance(f, io.BufferedReader), f.peek(1)[:1] if hasattr(f, 'peek') else b'h')
