function f() {
  a();
}
