x
y
