class F(float):
    def __str__(self): return 'F!'
class S(str):
    def __str__(self): return 'S!'
class I(int):
    def __repr__(self): return 'I!'
class O:
    def __str__(self): return 'O!'
    def __repr__(self): return 'R!'
    def __int__(self): return 7
    def __float__(self): return 2.5
    def __index__(self): return 65
print('%s %s %s %s' % (F(1), S('q'), I(3), O()), '%r %a' % (O(), O()), '%s' % O(), '%s' % F(2), '%x' % O(), '%.1f' % O(), '%d' % I(5), '%s' % [O()], '{} {!s} {!r}'.format(O(), O(), O()), f'{O()} {O()!r}', str(S('k')), '%(o)s' % {'o': O()})
try: '%d' % 'x'
except TypeError as e: print(e)
try: '%d' % object
except TypeError as e: print(e)
