def f():
    a = 1
    b = 2

def g():
    a = 1
    b = 3
