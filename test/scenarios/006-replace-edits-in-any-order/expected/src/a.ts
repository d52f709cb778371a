1
two
3
