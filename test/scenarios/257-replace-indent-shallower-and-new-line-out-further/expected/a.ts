if x:
    a()
d()
    b()
c()
