foo 
foo
