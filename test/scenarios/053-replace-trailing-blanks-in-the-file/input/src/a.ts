one  
two	
three
