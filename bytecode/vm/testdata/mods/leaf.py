"""A leaf module."""
print("leaf runs")
answer = 42
_hidden = 1
def double(x):
    return 2 * x
