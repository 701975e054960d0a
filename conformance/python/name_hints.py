import math
def t(f):
    try: f()
    except (NameError, AttributeError) as e: print(type(e).__name__, e)
t(lambda: lenn([])); t(lambda: math.sqroot(2)); t(lambda: [].appendd(1)); t(lambda: 'a'.uper()); t(lambda: {}.item())
class A:
    colour = 1
    def method(self): return self.colr
t(lambda: A().color); t(lambda: A().method()); t(lambda: A.colur)
