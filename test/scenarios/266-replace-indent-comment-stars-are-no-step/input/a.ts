class A {
    /**
     * one
     */
    f() {}
}
