def one():
    return 1

def two(a):
    b = a
    return b
