f {
    foo();
    bar();
}
