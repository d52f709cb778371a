f {
	a
	b
}
