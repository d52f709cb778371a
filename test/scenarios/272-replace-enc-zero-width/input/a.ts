a​b = 1
