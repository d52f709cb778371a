a
x
y
