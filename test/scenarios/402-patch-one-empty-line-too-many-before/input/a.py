import a
def f():
    return 1
