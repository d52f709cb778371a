price: 1
