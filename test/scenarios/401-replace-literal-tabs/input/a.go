func f() {
	a()
}
