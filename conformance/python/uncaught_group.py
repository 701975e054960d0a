try:
    try: raise KeyError(1)
    finally: raise ValueError(2)
finally: print('out')
