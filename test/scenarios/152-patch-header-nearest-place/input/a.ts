function f() {
  x();
  y();
  x();
}
