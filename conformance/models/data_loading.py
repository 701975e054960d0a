import torch
from torch.utils.data import Dataset, DataLoader, TensorDataset, Subset, random_split, ConcatDataset, IterableDataset, RandomSampler, SequentialSampler, BatchSampler, WeightedRandomSampler, SubsetRandomSampler, Sampler, default_collate


class Toy(Dataset):
    def __init__(self, n=10, transform=None):
        self.n, self.transform = n, transform

    def __len__(self):
        return self.n

    def __getitem__(self, idx):
        if torch.is_tensor(idx):
            idx = idx.tolist()
        s = {"x": torch.full((2,), float(idx)), "y": idx % 3, "name": f"item{idx}", "w": idx / 2}
        return self.transform(s) if self.transform else s


torch.manual_seed(0)
for b in DataLoader(Toy(5), batch_size=2):
    print(b)
for b in DataLoader(Toy(5), batch_size=2, shuffle=True, drop_last=True):
    print(b["name"], b["y"])
dl = DataLoader(TensorDataset(torch.arange(10).view(5, 2), torch.arange(5)), batch_size=3, shuffle=True)
for x, y in dl:
    print(x, y)
print(len(dl), len(dl.dataset), next(iter(dl))[0].shape)
g = torch.Generator()
g.manual_seed(42)
print([b.tolist() for b in DataLoader(range(10), batch_size=4, shuffle=True, generator=g)])
a, b = random_split(Toy(10), [7, 3], generator=torch.Generator().manual_seed(42))
print(a.indices, b.indices, len(a), a[0]["name"])
print(random_split(range(10), [0.5, 0.5])[0].indices if True else None)
print([x["y"] for x in Subset(Toy(), [1, 2])], len(ConcatDataset([Toy(3), Toy(4)])), (Toy(3) + Toy(2))[4]["name"])


class Stream(IterableDataset):
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __iter__(self):
        return iter(range(self.lo, self.hi))


print([b for b in DataLoader(Stream(0, 5), batch_size=2)])


def collate(batch):
    xs = [b["x"] for b in batch]
    return torch.stack(xs), torch.tensor([b["y"] for b in batch])


for x, y in DataLoader(Toy(4), batch_size=4, collate_fn=collate, num_workers=0, pin_memory=False):
    print(x.shape, y)
print(list(SequentialSampler(range(3))), list(RandomSampler(range(5))), list(BatchSampler(SequentialSampler(range(5)), 2, False)))
print(list(WeightedRandomSampler([0.1, 0.9, 0.4], 5, replacement=True)), list(SubsetRandomSampler([3, 4, 5])))
print(default_collate([(1, 2.0), (3, 4.0)]), default_collate([{"a": [1, 2]}, {"a": [3, 4]}]), default_collate(["a", "b"]), default_collate([torch.ones(2), torch.zeros(2)]))
print([b for b in DataLoader(list("abcde"), batch_size=None)][:2], [b for b in DataLoader([1, 2, 3], sampler=[2, 0])], DataLoader(Toy(), batch_sampler=[[0, 1], [2]]).__len__())
try:
    DataLoader(Toy(), batch_size=2, shuffle=True, sampler=[1])
except ValueError as e:
    print(e)
try:
    for b in DataLoader([torch.ones(2), torch.ones(3)], batch_size=2):
        pass
except RuntimeError as e:
    print(e)
