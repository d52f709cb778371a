def f():
    b()
