	z
	z
	z
	z
	z
	z
	z
	z
