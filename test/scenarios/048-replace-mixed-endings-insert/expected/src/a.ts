a
new
b
c
