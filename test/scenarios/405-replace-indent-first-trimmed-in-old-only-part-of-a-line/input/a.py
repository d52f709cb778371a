class A:
    def g(self):
        for i in x:
            pass
