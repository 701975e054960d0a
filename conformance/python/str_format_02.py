def t(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
for f in [
    lambda: '{:>{w}}|{:<{w}}'.format(1, 2, w=4),
    lambda: '{:{}}'.format(1, 5),
    lambda: '{{}} {}'.format(1),
    lambda: '{'.format(),
    lambda: '}'.format(),
    lambda: '{0'.format(1),
    lambda: '{0!}'.format(1),
    lambda: '{:d}'.format('a'),
    lambda: '{:5}|{:<5}|{:^5}|{:>5}|{:*^7}|{:=+5}'.format(1, 2, 3, 4, 5, 6),
    lambda: '{:05d} {:+d} {: d} {:-d}'.format(3, 3, 3, 3),
    lambda: '{:x} {:X} {:o} {:b} {:#x} {:#b} {:#o} {:c} {:n}'.format(255, 255, 8, 5, 255, 5, 8, 65, 1234),
    lambda: '{:,} {:_} {:_x} {:_b}'.format(1234567, 1234567, 0xfffff, 255),
]:
    t(f)
