a
c
d