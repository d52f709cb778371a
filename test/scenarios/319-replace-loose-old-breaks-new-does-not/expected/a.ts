f {
	b	c
}
