def f():
    try: 1 // 0
    except ZeroDivisionError:
        print('cleanup'); raise
f()
