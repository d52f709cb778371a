x = call(
  a,  
  b)
