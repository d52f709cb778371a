def one(x):
    y = 'u'
    z = "v"
    return y
