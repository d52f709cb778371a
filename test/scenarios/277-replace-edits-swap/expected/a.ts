two
one
