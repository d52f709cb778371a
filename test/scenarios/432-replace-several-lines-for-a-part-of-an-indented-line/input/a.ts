function f() {
	foo();
}
