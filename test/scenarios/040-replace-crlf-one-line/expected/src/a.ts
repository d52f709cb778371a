a
B
c
