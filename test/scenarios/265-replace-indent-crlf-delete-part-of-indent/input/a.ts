a {
        b
        c
}
