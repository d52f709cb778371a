import a
x
