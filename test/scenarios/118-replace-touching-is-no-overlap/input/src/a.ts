ab
