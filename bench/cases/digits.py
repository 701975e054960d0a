# Follows scripts/digits.star, whose model and batch size these are.
model = Digits()
model.train()
optimizer = torch.optim.Adam(model.parameters())
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, epochs=1000, steps_per_epoch=60)
images = torch.rand(3823, 1, 8, 8)
labels = torch.randint(0, 10, (3823,))
rows = torch.randperm(3823)[:BATCH]


def step():
    x, y = images[rows], labels[rows]
    logits = model(x)
    loss = F.cross_entropy(logits, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    schedule.step()
    return loss.detach()
