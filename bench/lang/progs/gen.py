def count(n):
    for i in range(n):
        yield i

def square(g):
    for x in g:
        yield x * x % 1000

def even(g):
    for x in g:
        if x % 2 == 0:
            yield x

def main():
    s = 0
    for x in even(square(count(1000000))):
        s = s + x
    return s
