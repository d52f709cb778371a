def one(x):
    y = 'u'
    return y
