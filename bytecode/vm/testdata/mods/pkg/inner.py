from .other import base
value = base + 1
