class A:
    def f(self):
        a()

        if x:
            for y in z:
                b(y)
