def f():
    a()
    b()
def g():
    c()
