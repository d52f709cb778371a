class A {
	/**
	 * one
	 */
	f() {}
}
