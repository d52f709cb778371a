one
two
three
four
5
six
seven
eight
