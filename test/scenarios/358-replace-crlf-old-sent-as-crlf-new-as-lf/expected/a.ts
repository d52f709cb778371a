a
x
b
c
