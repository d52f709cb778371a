class A {
    f() {
        a();
    }
}
