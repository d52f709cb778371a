a {
    
  b
}
