f() {
    foo();
}
