if (a && b < c) {
