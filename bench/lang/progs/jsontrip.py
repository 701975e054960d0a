import json


def main():
    record = {
        "name": "layer \u00e9 \"quoted\"\n",
        "shape": [3, 224, 224],
        "scale": 0.125,
        "bias": True,
        "next": None,
        "tags": ["conv", "relu", "norm"] * 3,
    }
    data = {"layers": [dict(record, index=i) for i in range(200)]}
    text = ""
    for _ in range(10):
        text = json.dumps(data)
        data = json.loads(text)
    return len(text), sum(x["index"] for x in data["layers"])
