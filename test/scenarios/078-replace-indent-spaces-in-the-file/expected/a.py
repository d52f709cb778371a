def f():
    if x:
        return 2
    else:
        return 3
