import ast; print(ast.literal_eval('[1, 2.5, "a", (1,), {"k": None}, {1, 2}, -3, 1+2j, b"x", True]'))

import ast; print(ast.literal_eval('(1, 2, )'), ast.literal_eval('1, 2'), ast.literal_eval('()'), ast.literal_eval('{}'), ast.literal_eval("'a' 'b'"), ast.literal_eval('set()'))

import ast; print(ast.literal_eval('0x1F'), ast.literal_eval('1_000'), ast.literal_eval('1e3'), ast.literal_eval('.5'), ast.literal_eval('5.'), ast.literal_eval(r"'\n\x41\u00e9'"), ast.literal_eval("r'\\n'"), ast.literal_eval('"""a\nb"""'))

import ast
for t in ('abc', 'f(1)', '1 + 2', 'a.b', '[x]'):
    try: ast.literal_eval(t); print('no error', t)
    except (ValueError, SyntaxError) as e: print(t, type(e).__name__)

import ast
for t in ('(1', '[1,,2]', '', '1 2', '{1: }'):
    try: ast.literal_eval(t); print('no error', t)
    except (ValueError, SyntaxError) as e: print(repr(t), isinstance(e, SyntaxError))

import ast
def auto(v):
    try: return ast.literal_eval(v)
    except ValueError: return v
print([auto(x) for x in ('3', '2.5', 'relu', '[1, 2]', 'None', "'q'")])

import atexit
@atexit.register
def bye(): print('bye')
atexit.register(print, 'first', end='!\n'); print('main')

import atexit
def f(): print('never')
atexit.register(f); atexit.unregister(f); atexit.register(5)

import timeit; print(timeit.timeit(lambda: None, number=3) >= 0, len(timeit.repeat(lambda: 1, number=1, repeat=2)), timeit.default_timer() > 0, timeit.Timer(lambda: 0).timeit(2) >= 0)

import keyword; print(keyword.iskeyword('for'), keyword.iskeyword('x'), len(keyword.kwlist), keyword.issoftkeyword('match'))

import errno; print(errno.ENOENT, errno.EEXIST, errno.EACCES, errno.errorcode[2], errno.ENOTEMPTY)

import errno, os
try: os.mkdir('a/b')
except OSError as e: print(e.errno == errno.ENOENT, errno.errorcode[e.errno])

import secrets; print(len(secrets.token_hex(4)), len(secrets.token_bytes(3)), secrets.randbelow(5) in range(5), secrets.choice([1]), len(secrets.token_urlsafe(4)) > 0, secrets.compare_digest('a', 'a')); secrets.randbelow(0)

import hmac, hashlib; print(hmac.new(b'key', b'msg', hashlib.sha256).hexdigest(), hmac.new(b'k' * 100, b'm', 'md5').hexdigest(), hmac.compare_digest(b'a', b'b'), hmac.digest(b'k', b'm', 'sha1').hex())

import zlib; print(zlib.crc32(b'hello'), zlib.adler32(b'hello'), zlib.decompress(zlib.compress(b'abc' * 100)) == b'abc' * 100, zlib.crc32(b'lo', zlib.crc32(b'hel')), zlib.decompress(b'x\x9cKLJ\x06\x00\x02M\x01\''))

import zlib; zlib.decompress(b'not compressed')

import zlib; zlib.decompress(zlib.compress(b'abcdef' * 10)[:-4])

import gzip; b = gzip.compress(b'data' * 10); print(gzip.decompress(b) == b'data' * 10, b[:2]); gzip.decompress(b'nope')

import gzip
with gzip.open('f.gz', 'wt') as f: f.write('line 1\nline 2\n')
with gzip.open('f.gz', 'rt') as f: print(f.read())
with gzip.open('f.gz') as f: print(f.readline(), f.read(3), [l for l in f])
print(gzip.decompress(open('f.gz', 'rb').read()))

import gzip, pickle
with gzip.open('p.gz', 'wb') as f: pickle.dump({'a': [1, 2]}, f)
with gzip.open('p.gz', 'rb') as f: print(pickle.load(f))

from importlib import metadata
try: metadata.version('surely-not-there')
except metadata.PackageNotFoundError as e: print(e, isinstance(e, ImportError))

import linecache; open('src.txt', 'w').write('one\ntwo'); print(repr(linecache.getline('src.txt', 2)), repr(linecache.getline('src.txt', 9)), linecache.getlines('nope.txt'))

import inspect
def f(): return inspect.stack()[1].function, inspect.currentframe().f_code.co_name, inspect.currentframe().f_back.f_lineno
def g(): return f()
print(g())
