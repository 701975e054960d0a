# Follows scripts/vad.star, whose model this is; its weights are random here, which changes nothing about the time.
model = SileroVAD()
model.eval()
chunk = torch.randn(1, CONTEXT + CHUNK) / 10
state = (torch.zeros(1, 128), torch.zeros(1, 128))


@torch.no_grad()
def step():
    prob, _ = model(chunk, state)
    return prob
