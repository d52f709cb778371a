class A {
	f() {}
}
