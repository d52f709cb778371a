a
	
b
