one
2
