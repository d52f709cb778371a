const total = price * count;
