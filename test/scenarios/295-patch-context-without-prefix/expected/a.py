def f():
    a()
    x()
    c()
