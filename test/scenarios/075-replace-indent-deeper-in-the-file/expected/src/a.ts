class A {
    f() {
        return 2;
    }
}
