a {
    
  c
}
