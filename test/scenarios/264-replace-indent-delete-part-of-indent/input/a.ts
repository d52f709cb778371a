a {
        b
        c
}
