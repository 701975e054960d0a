class E(Exception):
    def __str__(self): return 'multi\nline'
raise E('x')
