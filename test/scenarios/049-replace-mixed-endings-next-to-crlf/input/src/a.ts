a
b
c
