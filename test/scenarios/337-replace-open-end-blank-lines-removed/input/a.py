a


b