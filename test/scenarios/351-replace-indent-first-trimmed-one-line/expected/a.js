f() {
    foo();
    bar();
}
