class A {
    /**
     * Does f.
     */
    f() {}
}
