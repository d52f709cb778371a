one
two
three
four
five
six
seven
eight
