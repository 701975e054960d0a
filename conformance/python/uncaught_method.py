class A:
    def __init__(self, v): self.v = v
    def div(self): return 10 / self.v
items = [A(2), A(0)]
for it in items: print(it.div())
