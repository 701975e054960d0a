from operator import *; print(add(1, 2), sub(5, 3), mul(2, 3), truediv(7, 2), floordiv(7, 2), mod(7, 3), pow(2, 5), neg(3), pos(-3), abs(-4))

from operator import *; print(lt(1, 2), le(2, 2), eq(1, 1), ne(1, 2), gt(1, 2), ge(2, 1), not_(0), truth([]), is_(1, 1), is_not(1, None))

from operator import *; print(and_(6, 3), or_(6, 3), xor(6, 3), inv(5), invert(0), lshift(1, 4), rshift(16, 2))

from operator import *; print(itemgetter(1)([1, 2]), itemgetter(0, 2)('abc'), itemgetter('k')({'k': 5}), itemgetter(slice(1, 3))('abcd'))

from operator import attrgetter
class A: pass
a = A(); a.x = 1; a.b = A(); a.b.c = 2; print(attrgetter('x')(a), attrgetter('b.c')(a), attrgetter('x', 'b.c')(a))

from operator import methodcaller; print(methodcaller('upper')('a'), methodcaller('split', ',', maxsplit=1)('a,b,c'), methodcaller('replace', 'a', 'b')('aa'))

from operator import *; print(concat([1], [2]), contains([1, 2], 2), countOf([1, 1, 2], 1), indexOf([1, 2, 3], 3), getitem([5, 6], 1), length_hint([1, 2]))

from operator import *; l = [1, 2, 3]; setitem(l, 0, 9); delitem(l, 1); print(l, index(5), index(True))

from operator import *; l = [1]; print(iadd(l, [2]), l, isub(5, 2), imul(2, 3), iand(6, 3), ior(1, 2), ixor(3, 1), ifloordiv(7, 2), imod(7, 4), ipow(2, 3))

from operator import index; index(1.5)

from operator import itemgetter; itemgetter(5)([1])

from operator import attrgetter; attrgetter('nope')(5)

from operator import itemgetter; print(sorted([('b', 1), ('a', 2)], key=itemgetter(0)), max([(1, 5), (2, 3)], key=itemgetter(1)), list(map(itemgetter(0), ['ab', 'cd'])))

from operator import matmul
class M:
    def __matmul__(self, o): return 'mm'
print(matmul(M(), 1))

import operator; print(operator.__add__(1, 2), operator.__lt__(1, 2), operator.itemgetter(1), operator.attrgetter('a.b'), operator.methodcaller('f', 1, x=2))

from operator import add; add(1, 'a')

from operator import *; print(call(len, 'abc'), call(dict, a=1))

from operator import itemgetter; itemgetter()

from functools import reduce; from operator import mul, or_; print(reduce(mul, range(1, 6)), reduce(or_, [{1}, {2}]), list(map(mul, [1, 2], [3, 4])))

import operator; print([getattr(operator, n)(7, 2) for n in ('add', 'sub', 'mul', 'mod', 'floordiv')], operator.concat('a', 'b'))
