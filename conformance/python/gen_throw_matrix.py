def g(log):
    try:
        while True:
            try:
                x = yield len(log); log.append(('got', x))
            except ValueError as e: log.append(('val', str(e)))
            else: log.append('else')
            finally: log.append('fin')
    except KeyError as e: log.append(('key', e.args)); return 'returned'
    finally: log.append('outer')
log = []; it = g(log); print(next(it), it.send(1), it.throw(ValueError('v')), it.send(None))
try: it.throw(KeyError('k'))
except StopIteration as s: print(s.value)
print(log)
log = []; it = g(log); next(it); it.close(); print(log)
log = []; it = g(log); next(it)
try: it.throw(TypeError('t'))
except TypeError as e: print(e, log)
def two():
    try: yield 1
    except ValueError:
        try: yield 2
        except KeyError: yield 3
it = two(); print(next(it), it.throw(ValueError), it.throw(KeyError), next(it, 'end'))
def ret():
    try: yield
    finally: return 'x'
it = ret(); next(it)
try: it.throw(ValueError)
except StopIteration as e: print(e.value)
def wr():
    r = yield from ret(); print('r', r); yield r
it = wr(); next(it); print(it.send(None))
def ctx():
    try: yield 1
    except ValueError: raise KeyError('new')
it = ctx(); next(it)
try: it.throw(ValueError('old'))
except KeyError as e: print(repr(e.__context__))
print(list(it), next(it, 'done'))
e = (x for x in [1]); print(e.send(None)); e.close(); print(list(e))
