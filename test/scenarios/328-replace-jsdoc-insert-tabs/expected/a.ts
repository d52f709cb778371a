class A {
	/**
	 * Does f.
	 */
	f() {
		g();
	}
}
