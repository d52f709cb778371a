a
new
lines
b
