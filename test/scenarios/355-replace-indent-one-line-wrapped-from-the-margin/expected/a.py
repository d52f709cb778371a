def f(x):
    if x:
        return x
    return 0
