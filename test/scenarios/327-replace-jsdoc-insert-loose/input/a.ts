class A {
    f() {}
}
