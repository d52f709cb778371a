f {
	{
		a
		b
	}
}
