wrap(call(a))
