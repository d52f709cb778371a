a a
