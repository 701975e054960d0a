class Custom(Exception): pass
def load():
    try: int('x')
    except ValueError as e: raise Custom('cannot load') from e
def run():
    try: load()
    except Custom: raise RuntimeError('while running')
run()
