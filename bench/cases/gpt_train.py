optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)


def step():
    loss = F.cross_entropy(model(tokens).view(-1, VOCABULARY), targets.view(-1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    return loss.detach()
