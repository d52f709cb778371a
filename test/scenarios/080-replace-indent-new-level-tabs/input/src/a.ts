	if (x) {
		y();
	}
