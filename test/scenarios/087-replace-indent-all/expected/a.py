if a:
    z()
if b:
        z()
