a
b
b
