a


b
