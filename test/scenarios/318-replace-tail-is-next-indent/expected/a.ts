f {
    baz();
    bar();
}
