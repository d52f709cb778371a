const a = {
  x,
  ...rest,
};
// ... and so on
