def f():
    a = 1
    b = 4

def h():
    a = 1
    b = 3
