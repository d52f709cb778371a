a 
b

a
b
