def a(): b()
def b(): return {}['key']
print('before')
a()
