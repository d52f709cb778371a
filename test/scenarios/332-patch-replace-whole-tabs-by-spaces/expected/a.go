func f() {
	if x {
		for {
			a()
		}
	}
}
