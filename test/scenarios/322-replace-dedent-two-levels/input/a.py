class A:
    def f(self):
        if x:
            a()
            b()
