class A:
    def f(self):
        a()
