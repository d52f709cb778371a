class A {
    /**
     * one
     */
    f() {
        if (x) {
            y();
        }
    }
}
