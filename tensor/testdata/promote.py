"""Writes promote.txt: torch.promote_types of all pairs, and torch.result_type of a
tensor of each dtype and rank with a tensor, a 0-dim tensor or a number."""
import os
import torch

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
NUMBERS = {"True": True, "2": 2, "1.5": 1.5}
with open(os.path.join(os.path.dirname(__file__), "promote.txt"), "w") as out:
    def put(*words):
        out.write(" ".join(str(w).replace("torch.", "") for w in words) + "\n")
    for a in NAMES:
        for b in NAMES:
            da, db = getattr(torch, a), getattr(torch, b)
            put("promote", a, b, torch.promote_types(da, db))
            put("dim-zero", a, b, torch.result_type(torch.zeros(1, dtype=da), torch.zeros((), dtype=db)))
            put("cast", a, b, int(torch.can_cast(da, db)))
        for name, n in NUMBERS.items():
            put("dim-number", a, name, torch.result_type(torch.zeros(1, dtype=da), n))
            put("zero-number", a, name, torch.result_type(torch.zeros((), dtype=da), n))
