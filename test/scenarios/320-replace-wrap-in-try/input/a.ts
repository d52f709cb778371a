f {
		a
		b
}
