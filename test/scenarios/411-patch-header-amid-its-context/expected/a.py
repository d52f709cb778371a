def one():
    return 1

def two(a):
    b = a + 1
    return b
