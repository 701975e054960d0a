shape = (1, HEADS, CONTEXT, WIDTH // HEADS)
cache = [(torch.randn(*shape), torch.randn(*shape)) for _ in range(LAYERS)]
token = tokens[:, :1]


@torch.no_grad()
def step():
    return model.decode(token, cache, CONTEXT - 1)
