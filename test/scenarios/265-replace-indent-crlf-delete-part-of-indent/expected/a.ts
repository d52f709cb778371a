a {
        c
}
