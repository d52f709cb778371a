func f() {
	b()
	c()
}
