a
B