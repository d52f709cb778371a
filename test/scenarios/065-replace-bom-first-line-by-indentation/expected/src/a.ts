    one
    2
