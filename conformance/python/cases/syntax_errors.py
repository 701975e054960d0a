print('a'

x = [1, 2

if x = 1: pass

def f(:
    pass

class A
    pass

print 'hello'

for i in range(3)
    print(i)

x = 1 +

'abc

"""abc

  x = 1

if True:
x = 1

if True:
    x = 1
  y = 2

else: pass

x = 0777

x = 1_000_; y

1a = 2

x = 5 5

f(1 2)

f'{x'

f'{}'

f'{x!z}'

import a.b as

from . import *x

lambda x: = 1

def f(x, x): pass

class A: return 1

x = {1: 2, 3}

a = b := 3



match x:
    case 1 | y: pass

match x:
    case a: pass
    case b: pass

try: pass

with open('f') as 1: pass

del f()

x = yield = 1

global x; x = 1

def f():
    x = 1
    global x

@

a b c

return

'\x1'

x = ?

x = $a

'a' b'c'

from __future__ import nothing

not = 1

True = 2

def None(): pass

f(True=1)

x = (1, 2

y = 3)

)
