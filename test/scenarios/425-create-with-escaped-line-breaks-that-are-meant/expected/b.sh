printf "%s" a\n
