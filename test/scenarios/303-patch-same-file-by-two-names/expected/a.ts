A
B
