    foo(a,
        b)
