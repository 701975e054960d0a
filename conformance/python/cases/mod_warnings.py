import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always'); warnings.warn('hello'); print(len(w), w[0].category.__name__, w[0].message, str(w[0].message))

import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always'); warnings.warn('d', DeprecationWarning); warnings.warn(UserWarning('u')); print([(x.category.__name__, str(x.message), x.lineno) for x in w])

import warnings; warnings.simplefilter('error'); warnings.warn('boom')

import warnings; warnings.simplefilter('error', DeprecationWarning)
try: warnings.warn('old', DeprecationWarning)
except DeprecationWarning as e: print('raised', e)

import warnings; warnings.simplefilter('ignore'); warnings.warn('silent'); print('done')

import warnings; warnings.simplefilter('always'); warnings.warn('visible')

import warnings; warnings.simplefilter('always'); warnings.warn('future', FutureWarning); warnings.warn('rt', RuntimeWarning)

import warnings
warnings.simplefilter('always')
def f(): warnings.warn('from f', stacklevel=2)
f()

import warnings
warnings.resetwarnings(); warnings.simplefilter('default')
for i in range(3): warnings.warn('once only')

import warnings
warnings.simplefilter('once')
for i in range(3): warnings.warn('just once')
print('end')

import warnings; warnings.filterwarnings('ignore', message='skip.*'); warnings.filterwarnings('error', message='stop'); warnings.warn('skip this'); print('ok'); warnings.warn('stop here')

import warnings; warnings.filterwarnings('ignore', category=DeprecationWarning); warnings.warn('x', DeprecationWarning); print(len(warnings.filters) > 0)

import warnings; warnings.warn('x', int)

import warnings; warnings.simplefilter('nope')

import warnings; warnings.showwarning = lambda m, c, f, l, file=None, line=None: print('shown:', m, c.__name__); warnings.simplefilter('always'); warnings.warn('custom')

import warnings; warnings.formatwarning = lambda m, c, f, l, line=None: f'{c.__name__}: {m}\n'; warnings.simplefilter('always'); warnings.warn('fmt')

import warnings; print(warnings.formatwarning('msg', UserWarning, 'file.py', 3, 'code'))

import warnings
with warnings.catch_warnings():
    warnings.simplefilter('ignore'); warnings.warn('hidden')
warnings.simplefilter('error')
try: warnings.warn('back')
except UserWarning as e: print(repr(e))

import warnings
class MyW(UserWarning): pass
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always', MyW); warnings.warn('m', MyW); print(w[0].category is MyW, issubclass(MyW, Warning))

import warnings
def deprecated(f):
    def wrap(*a):
        warnings.warn(f'{f.__name__} is deprecated', DeprecationWarning, stacklevel=2); return f(*a)
    return wrap
@deprecated
def old(x): return x * 2
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always'); print(old(4), w[0].message, w[0].lineno)

import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always'); warnings.warn_explicit('ex', UserWarning, 'some.py', 7); print(w[0].filename, w[0].lineno)

import warnings
with warnings.catch_warnings():
    warnings.simplefilter('error')
    try: warnings.warn('inner')
    except UserWarning: print('inner raised')
with warnings.catch_warnings(record=True) as log: warnings.simplefilter('always'); warnings.warn('a'); warnings.warn('a'); print(len(log), type(log).__name__)
