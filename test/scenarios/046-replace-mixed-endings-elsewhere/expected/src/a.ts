a
b
c
D
