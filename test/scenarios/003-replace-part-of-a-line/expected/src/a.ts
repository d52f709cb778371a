const a = 1, b = 3;
