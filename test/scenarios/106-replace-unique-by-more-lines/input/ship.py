class Ship:
    def __init__(self, name):
        self.name = name
        self.cargo = []

    def load(self, item):
        self.cargo.append(item)
        return self

    def unload(self):
        return self.cargo.pop()


class Ferry(Ship):
    def load(self, item):
        self.cargo.append(item)
        return self
