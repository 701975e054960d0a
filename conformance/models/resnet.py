from typing import Type, Callable, Union, List, Optional, Any
from functools import partial
import torch
import torch.nn as nn
from torch import Tensor


def conv3x3(in_planes: int, out_planes: int, stride: int = 1, groups: int = 1, dilation: int = 1) -> nn.Conv2d:
    """3x3 convolution with padding"""
    return nn.Conv2d(in_planes, out_planes, kernel_size=3, stride=stride, padding=dilation, groups=groups, bias=False, dilation=dilation)


def conv1x1(in_planes, out_planes, stride=1):
    return nn.Conv2d(in_planes, out_planes, kernel_size=1, stride=stride, bias=False)


class BasicBlock(nn.Module):
    expansion: int = 1

    def __init__(self, inplanes, planes, stride=1, downsample: Optional[nn.Module] = None, norm_layer: Optional[Callable[..., nn.Module]] = None):
        super(BasicBlock, self).__init__()
        if norm_layer is None:
            norm_layer = nn.BatchNorm2d
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, block: Type[BasicBlock], layers: List[int], num_classes: int = 10, zero_init_residual: bool = False, **kwargs: Any):
        super().__init__()
        self.inplanes = 8
        self.conv1 = nn.Conv2d(3, self.inplanes, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(self.inplanes)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, 8, layers[0])
        self.layer2 = self._make_layer(block, 16, layers[1], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16 * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)
        if zero_init_residual:
            for m in self.modules():
                if isinstance(m, BasicBlock) and m.bn2.weight is not None:
                    nn.init.constant_(m.bn2.weight, 0)  # type: ignore[arg-type]

    def _make_layer(self, block, planes, blocks, stride=1):
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = nn.Sequential(conv1x1(self.inplanes, planes * block.expansion, stride), nn.BatchNorm2d(planes * block.expansion))
        layers = []
        layers.append(block(self.inplanes, planes, stride, downsample))
        self.inplanes = planes * block.expansion
        for _ in range(1, blocks):
            layers.append(block(self.inplanes, planes))
        return nn.Sequential(*layers)

    def _forward_impl(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer2(self.layer1(x))
        x = torch.flatten(self.avgpool(x), 1)
        return self.fc(x)

    def forward(self, x: Tensor) -> Tensor:
        return self._forward_impl(x)


def resnet10(**kwargs) -> ResNet:
    return ResNet(BasicBlock, [1, 2], **kwargs)


torch.manual_seed(0)
net = resnet10(num_classes=5, zero_init_residual=True)
print(net)
x = torch.randn(2, 3, 32, 32)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4, nesterov=True)
crit = nn.CrossEntropyLoss(label_smoothing=0.1)
target = torch.tensor([1, 3])
for i in range(3):
    opt.zero_grad()
    out = net(x)
    loss = crit(out, target)
    loss.backward()
    opt.step()
    print(f"step {i}: loss {loss.item():.4f}")
print(net.bn1.running_mean[:3], net.bn1.num_batches_tracked)
net.eval()
with torch.no_grad():
    print(net(x).argmax(dim=1).tolist())
sd = net.state_dict()
print(len(sd), list(sd)[:8])
net2 = resnet10(num_classes=5)
print(net2.load_state_dict(sd))
net2.eval()
print(torch.allclose(net2(x), net(x), atol=1e-5))
try:
    resnet10(num_classes=7).load_state_dict(sd)
except RuntimeError as e:
    print(e)
bad = dict(sd)
del bad["fc.bias"]
bad["extra.weight"] = torch.zeros(1)
try:
    net2.load_state_dict(bad)
except RuntimeError as e:
    print(e)
r = net2.load_state_dict(bad, strict=False)
print(r, r.missing_keys, r.unexpected_keys)
print(net2.layer1[0].conv1.weight.shape, net2.layer2[-1])
