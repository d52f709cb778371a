x = call(
  a,  
  c)
