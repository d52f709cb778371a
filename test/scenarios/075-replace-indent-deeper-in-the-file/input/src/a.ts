class A {
    f() {
        return 1;
    }
}
