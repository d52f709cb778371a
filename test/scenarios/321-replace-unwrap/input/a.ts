f {
	if x {
		a
		b
	}
}
