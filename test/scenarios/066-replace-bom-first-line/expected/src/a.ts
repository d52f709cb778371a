1
two
