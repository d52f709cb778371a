a
B
c
d
