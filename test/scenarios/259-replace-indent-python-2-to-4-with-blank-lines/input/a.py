class A:
    def f(self):
        a()

        if x:
            b()
