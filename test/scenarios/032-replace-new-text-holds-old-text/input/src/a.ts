call(a)
