a
b
c
d