function f() {
  z();
  y();
  x();
}
