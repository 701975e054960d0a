def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: '%s' % None,
    lambda: '%r' % (('a',),),
    lambda: '%-10s|' % 'ab',
    lambda: '%010.3f' % -3.14159,
    lambda: '%i' % True,
]:
    t(f)
