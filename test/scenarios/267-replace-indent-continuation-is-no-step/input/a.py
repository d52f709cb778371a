def f():
    x = g(
            a)
    return x
