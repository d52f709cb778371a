a 
b

a
B
