one
TWO
three
