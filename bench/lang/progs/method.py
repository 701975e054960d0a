class Task:
    def __init__(self, prio):
        self.prio = prio
        self.count = 0
        self.state = 0
        self.link = None
    def tick(self, n):
        self.count = self.count + n
        if self.count > 1000:
            self.reset()
        return self.link
    def reset(self):
        self.count = 0
        self.state = self.state + 1

class Dev:
    def __init__(self, prio):
        self.prio = prio
        self.count = 0
        self.state = 0
        self.link = None
    def tick(self, n):
        self.state = self.state + 1
        self.count = self.count + self.prio
        return self.link

def main():
    a, b, c, d = Task(1), Task(2), Dev(3), Task(4)
    a.link, b.link, c.link, d.link = b, c, d, a
    t = a
    for i in range(2000000):
        t = t.tick(i & 3)
    return a.state + b.state + c.state + d.state
