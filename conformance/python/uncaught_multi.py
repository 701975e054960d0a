def g(x): return x + 1
total = (g(1) +
         g('a') +
         g(2))
