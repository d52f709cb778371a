x
y
c
