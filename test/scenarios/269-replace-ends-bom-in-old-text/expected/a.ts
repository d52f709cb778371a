import b
x
