a
++ y
b
c
D
