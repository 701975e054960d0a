@torch.no_grad()
def step():
    return model(tokens)
