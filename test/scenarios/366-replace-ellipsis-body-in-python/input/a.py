class A(Protocol):
    def f(self) -> int:
        return 1
