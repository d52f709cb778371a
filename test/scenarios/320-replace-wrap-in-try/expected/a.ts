f {
		try {
			a
			b
		} catch {}
}
