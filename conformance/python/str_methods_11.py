def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
s = 'Hello, World'
for f in [
    lambda: '{a}'.format_map({'a': 1}),
    lambda: '{a}'.format_map({}),
]:
    t(f)
