func f() {
	if x {
		log()
		return nil
	}
}
