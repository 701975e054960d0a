from .inner import value
from . import other
name = "pkg"
