import os

def read(self, size):
    """Read at most size.
    """

    if self.closed:
        raise ValueError("closed")
    if size < 0:
        size = self.size
    return self.file.read(size)
