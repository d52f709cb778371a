a


