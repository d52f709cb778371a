A
b