base = 10
