a
b
c
