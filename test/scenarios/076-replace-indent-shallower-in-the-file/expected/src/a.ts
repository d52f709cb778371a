f() {
  return 2;
}
