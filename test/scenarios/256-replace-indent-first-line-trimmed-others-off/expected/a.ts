class A {
    g() {
        b();
    }
}
