a

b

c