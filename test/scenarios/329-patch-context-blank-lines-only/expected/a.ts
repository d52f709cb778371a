a

B

c
