f {
	a
	c
}
