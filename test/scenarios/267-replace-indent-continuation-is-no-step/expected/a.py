def f():
    x = g(
            a)
    if x:
        b()
    return x
