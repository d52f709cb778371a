function f() {
  b();
}
