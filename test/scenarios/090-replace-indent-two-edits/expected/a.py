def f():
    a()
    x()
def g():
    d()
