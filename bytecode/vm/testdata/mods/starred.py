__all__ = ["one", "_two"]
one, _two, three = 1, 2, 3
