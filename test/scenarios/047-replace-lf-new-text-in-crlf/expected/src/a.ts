x
y
b
