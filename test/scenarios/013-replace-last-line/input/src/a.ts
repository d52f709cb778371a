a
b
last
