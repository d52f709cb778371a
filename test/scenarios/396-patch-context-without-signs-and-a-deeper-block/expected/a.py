def f():
    a()
    if x:
        c()
