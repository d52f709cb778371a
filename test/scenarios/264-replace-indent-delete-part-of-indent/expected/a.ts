a {
        c
}
