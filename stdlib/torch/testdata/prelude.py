import torch
def shows(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__ + ":", e)
