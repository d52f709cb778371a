func f() {
	if x {
		b("\t")
	}
}
