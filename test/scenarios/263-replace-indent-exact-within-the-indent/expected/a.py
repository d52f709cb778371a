class A:
    def f(self):
        a()
        b()
        if x:
            c()
