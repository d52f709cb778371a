if x:
        a()
        b()
