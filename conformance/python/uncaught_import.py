def load():
    import no_such_module_here
print('loading')
load()
