1
two
three
four
five
six
seven
eight
