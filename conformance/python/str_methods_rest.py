def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
print(repr('\x00\x07\x1b\n\t\r\\\'"é\u200b\ud7ff\U0001f600\x7f\xa0\xad'), repr("it's"), repr('say "hi"'), repr('both \'"'), '\101\x41\u0041', r'\n', b'\x00a\xff"', repr(b"it's"))
