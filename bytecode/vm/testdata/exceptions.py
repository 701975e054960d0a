def f(x):
    try:
        if x == 0: raise ValueError("v")
        if x == 1: raise KeyError("k")
        if x == 2: return "returned"
        if x == 3: 1 / 0
        if x == 4: [][1]
        return "end"
    except ValueError as e:
        return f"V {e}"
    except (KeyError, IndexError) as e:
        return f"K {e!r}"
    except Exception as e:
        return f"E {type(e).__name__} {e}"
    else:
        return "else"
    finally:
        print("finally", x)
for i in range(6): print(f(i))
---
def f():
    for i in range(3):
        try:
            if i == 0: continue
            if i == 2: break
            print("body", i)
        finally:
            print("fin", i)
    return "r"
print(f())
---
def f():
    try:
        return "try"
    finally:
        return "finally"
def g():
    while True:
        try:
            return 1
        finally:
            break
    return 2
def h():
    try:
        raise ValueError
    finally:
        return "swallowed"
print(f(), g(), h())
---
def f():
    x = 1
    try:
        return x
    finally:
        x = 2
print(f())
---
try:
    try:
        raise ValueError("inner")
    finally:
        print("cleanup")
except ValueError as e:
    print("caught", e)
try:
    pass
except Exception: print("no")
else: print("else")
finally: print("fin")
---
try:
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise ValueError("second") from e
except ValueError as e:
    print(repr(e.__cause__), e.__context__ is e.__cause__, e.__suppress_context__)
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise KeyError("ctx")
except KeyError as e:
    print(repr(e.__context__), e.__cause__, e.__suppress_context__)
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise KeyError("none") from None
except KeyError as e:
    print(repr(e.__context__), e.__cause__, e.__suppress_context__)
---
def f():
    try:
        raise ValueError("a")
    except ValueError:
        try:
            raise KeyError("b")
        except KeyError:
            pass
        raise
try:
    f()
except ValueError as e:
    print("reraised", e)
try:
    raise
except RuntimeError as e:
    print(e)
def reraise(): raise
try:
    try: raise IndexError("dyn")
    except IndexError: reraise()
except IndexError as e: print("dyn", e)
---
class MyErr(Exception):
    def __init__(self, code):
        super().__init__("code %d" % code)
        self.code = code
class Sub(MyErr): pass
try:
    raise Sub(5)
except MyErr as e:
    print(e, e.code, e.args, isinstance(e, Sub))
try:
    raise MyErr
except TypeError as e:
    print(e)
---
e = 1
try:
    raise ValueError
except ValueError as e:
    pass
try:
    print(e)
except NameError as x:
    print(x)
---
def f():
    try:
        raise ValueError("x")
    except ValueError as e:
        def g(): return e
    return g()
f()
---
def f():
    try:
        raise ValueError("x")
    except ValueError as e:
        e = 5
    try:
        return e
    except UnboundLocalError as u:
        return str(u)
print(f())
---
raise "string"
---
raise 5 from ValueError()
---
raise ValueError("a", 2)
---
try:
    raise ValueError from 5
except TypeError as e:
    print(e)
try:
    try: 1 / 0
    except "notclass": pass
except TypeError as e:
    print(e)
---
def a(): b()
def b(): c()
def c():
    raise ValueError("deep")
a()
---
def a():
    try:
        b()
    except ValueError:
        raise
def b(): raise ValueError("again")
a()
---
def a():
    try:
        b()
    except ValueError as e:
        raise e
def b(): raise ValueError("again")
a()
---
class C:
    def __init__(self): self.boom()
    def boom(self): raise KeyError("in init")
    @property
    def p(self): raise AttributeError("in prop")
    def __add__(self, o): raise ValueError("in add")
try: C()
except KeyError as e: print(e)
c = object.__new__(C)
try: c.p
except AttributeError as e: print(e)
c + 1
---
log = []
def f(n):
    try:
        if n == 0: raise ValueError("bottom")
        f(n - 1)
    finally:
        log.append(n)
try: f(3)
except ValueError as e: print(e, log)
---
def f():
    try:
        try:
            raise ValueError(1)
        except ValueError:
            raise KeyError(2)
        finally:
            print("f1")
    except KeyError as e:
        print("k", e.args, repr(e.__context__))
        try:
            raise IndexError(3)
        except IndexError as i:
            print(repr(i.__context__), repr(i.__context__.__context__))
    try:
        raise TypeError(4)
    except TypeError as t:
        print(t.__context__)
f()
---
n = 0
for i in range(1000):
    try:
        if i % 10 == 0: raise ValueError(i)
    except ValueError:
        n += 1
        continue
print(n)
---
try:
    raise SystemExit(3)
except BaseException as e:
    print(type(e).__name__, e.code if hasattr(e, "code") else "?")
try:
    int("x")
except ValueError as e: print(e)
try:
    [].pop()
except IndexError as e: print(e)
try: {}["q"]
except KeyError as e: print(e, e.args)
try: None.x
except AttributeError as e: print(e)
try: len(5)
except TypeError as e: print(e)
try: next(iter([]))
except StopIteration as e: print("stop", e.value)
---
def f():
    try:
        yield 1
    except ValueError as e:
        print("thrown", e)
        yield 2
    finally:
        print("gen fin")
g = f()
print(next(g), g.throw(ValueError("t")))
print(list(g))
