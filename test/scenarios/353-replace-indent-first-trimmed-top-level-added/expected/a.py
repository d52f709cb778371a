class A:
    def f(self):
        return 2


def g():
    return 3


x = 1
