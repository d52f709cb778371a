one
x
four
