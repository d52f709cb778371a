f() {
        foo();
}
