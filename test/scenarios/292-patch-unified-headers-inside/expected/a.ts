one
two
3
four
five
six
seven
eight
