const depth = 9;
const name = 1;
