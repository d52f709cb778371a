def f():
    a
def g():
    a
