bar 
foo
