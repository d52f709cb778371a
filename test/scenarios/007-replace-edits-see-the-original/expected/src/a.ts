b a
