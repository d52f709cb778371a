class A {
	/**
	 * one
	 * two
	 */
	f() {}
}
