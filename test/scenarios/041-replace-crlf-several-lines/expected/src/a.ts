x
y
z
c
