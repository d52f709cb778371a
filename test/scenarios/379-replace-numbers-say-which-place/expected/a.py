def f():
    a = 1
    b = 2

def g():
    a = 2
    b = 3
