function f() {
  one();
  two();
  three();
}
