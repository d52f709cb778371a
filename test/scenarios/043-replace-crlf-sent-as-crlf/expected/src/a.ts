x
y
c
