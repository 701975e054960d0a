

class Cell(nn.Module):
    """nn.LSTMCell in ops that the exporter knows."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x, state):
        c = self.cell
        g = F.linear(x, c.weight_ih, c.bias_ih) + F.linear(state[0], c.weight_hh, c.bias_hh)
        i, f, n, o = g[:, :128], g[:, 128:256], g[:, 256:384], g[:, 384:]
        s = torch.sigmoid(f) * state[1] + torch.sigmoid(i) * torch.tanh(n)
        return torch.sigmoid(o) * torch.tanh(s), s


model.lstm_cell = Cell(model.lstm_cell)
torch.onnx.export(model, (chunk, state), OUT, input_names=["x", "h", "c"], output_names=["p", "hn", "cn"])
