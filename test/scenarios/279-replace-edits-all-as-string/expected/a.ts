b b
