"""Writes random.json: what PyTorch draws, for tmpl_random_test.go. Run with /usr/bin/python3 (torch 1.13.1)."""
import json
import torch

out = []


def case(template, t, nums=(), flags=(), given=None):
    out.append({
        "template": template, "dtype": str(t.dtype)[6:], "size": list(t.size()), "stride": list(t.stride()),
        "nums": list(nums), "flags": list(flags),
        "in": None if given is None else given.flatten().tolist(), "in_size": None if given is None else list(given.size()),
        "in_dtype": None if given is None else str(given.dtype)[6:],
        "want": [float(v) for v in t.flatten().double().tolist()], "next": torch.rand(1).item(),
    })


def seeded(f):
    torch.manual_seed(7)
    return f()


FLOATS = [torch.float32, torch.float64, torch.bfloat16]
for d in FLOATS:
    for shape in [(5,), (3, 7), (4, 1, 9)]:
        case("random_uniform", seeded(lambda: torch.empty(shape, dtype=d).uniform_(-1, 3)), (-1, 3))
        case("random_normal", seeded(lambda: torch.empty(shape, dtype=d).normal_(1, 2)), (1, 2))
    case("random_uniform", seeded(lambda: torch.empty(4, 6, dtype=d).t().uniform_(0, 1)), (0, 1))
    case("random_normal", seeded(lambda: torch.empty(4, 6, dtype=d).t().normal_(0, 1)), (0, 1))
    case("random_exponential", seeded(lambda: torch.empty(3, 4, dtype=d).exponential_(2.0)), (2.0,))
    case("random_bernoulli", seeded(lambda: torch.empty(3, 5, dtype=d).bernoulli_(0.3)), (0.3,))
p = torch.linspace(0, 1, 24).reshape(4, 6)
case("random_bernoulli", seeded(lambda: torch.bernoulli(p)), given=p)
case("random_bernoulli", seeded(lambda: torch.bernoulli(p.double())), given=p.double())
case("random_int", seeded(lambda: torch.randint(-5, 100, (4, 5))), (-5, 100))
case("random_int", seeded(lambda: torch.randint(0, 2**40, (6,))), (0, 2**40))
case("random_int", seeded(lambda: torch.randint(0, 7, (6,), dtype=torch.int32)), (0, 7))
case("random_any", seeded(lambda: torch.empty(9, dtype=torch.int64).random_()))
case("random_any", seeded(lambda: torch.empty(9, dtype=torch.float32).random_()))
case("random_perm", seeded(lambda: torch.randperm(17)))
w = torch.tensor([[1., 2., 3., 0.5], [4., 0., 1., 1.]])
case("random_multinomial", seeded(lambda: torch.multinomial(w, 6, True)), flags=(True,), given=w)
case("random_multinomial", seeded(lambda: torch.multinomial(w, 3, False)), flags=(False,), given=w)
case("random_multinomial", seeded(lambda: torch.multinomial(w[0].double(), 5, True)), flags=(True,), given=w[0].double())
with open("random.json", "w") as f:
    json.dump(out, f, indent=None, separators=(",", ":"))
    f.write("\n")
