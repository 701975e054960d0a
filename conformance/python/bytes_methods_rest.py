def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
b = b'Hello\x00\xff'
ba = bytearray(b'abc'); ba[0] = 120; ba.append(33); ba.extend(b'zz'); del ba[1]; print(ba, len(ba), bytes(ba)); ba[1:2] = b'QQ'; print(ba)
try: ba[0] = 256
except ValueError as e: print(e)
try: ba.append('a')
except TypeError as e: print(e)
