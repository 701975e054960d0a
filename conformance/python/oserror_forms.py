for e in [OSError(), OSError('x'), OSError(2), OSError(2, 'no'), OSError(2, 'no', 'file'), OSError(1, 2, 3), FileNotFoundError(2, 'gone', 'f'), PermissionError('p')]:
    print(type(e).__name__, repr(e), '|', e, '|', e.errno, e.strerror, e.filename, e.args)
try: open('does_not_exist_here.txt')
except OSError as e: print(type(e).__name__, e, e.errno, e.filename)
for e in [UnicodeDecodeError('utf-8', b'ab\xff', 2, 3, 'invalid start byte'), UnicodeEncodeError('ascii', 'aé', 1, 2, 'ordinal not in range(128)'), UnicodeDecodeError('utf-8', b'abcd', 1, 3, 'why')]: print(e)
try: b'a\xff'.decode()
except UnicodeDecodeError as e: print(e)
try: 'é'.encode('ascii')
except UnicodeEncodeError as e: print(e)
