def f():
    a
def g():
    b
