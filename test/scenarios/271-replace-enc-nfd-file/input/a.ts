café = 1
