const a = 10, b = 20;
