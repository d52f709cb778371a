a



b
