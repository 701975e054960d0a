# A small operating system's scheduler: an idle task, a worker, two handlers
# and two devices pass packets to each other.
IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = range(6)
KIND_DEVICE, KIND_WORK = 0, 1


class Packet:
    def __init__(self, link, ident, kind):
        self.link = link
        self.ident = ident
        self.kind = kind
        self.datum = 0
        self.data = [0] * 4

    def append_to(self, queue):
        self.link = None
        if queue is None:
            return self
        p = queue
        while p.link is not None:
            p = p.link
        p.link = self
        return queue


class Task:
    def __init__(self, system, ident, priority, queue, ready):
        self.system = system
        self.ident = ident
        self.priority = priority
        self.queue = queue
        self.waiting = not ready
        self.held = False
        system.table[ident] = self
        self.next = system.first
        system.first = self

    def blocked(self):
        return self.held or (self.waiting and self.queue is None)

    def add_packet(self, packet, old):
        if self.queue is None:
            self.queue = packet
            if self.priority > old.priority:
                return self
        else:
            packet.append_to(self.queue)
        return old

    def run_task(self):
        packet = None
        if self.waiting:
            packet = self.queue
            self.queue = packet.link
            self.waiting = False
        return self.step(packet)

    def wait(self):
        self.waiting = True
        return self

    def send(self, packet):
        target = self.system.table[packet.ident]
        self.system.packets += 1
        packet.link = None
        packet.ident = self.ident
        return target.add_packet(packet, self)

    def hold(self):
        self.system.holds += 1
        self.held = True
        return self.next

    def release(self, ident):
        target = self.system.table[ident]
        target.held = False
        return target if target.priority > self.priority else self


class Idle(Task):
    control = 1
    count = 10000

    def step(self, packet):
        self.count -= 1
        if self.count == 0:
            return self.hold()
        if self.control & 1 == 0:
            self.control //= 2
            return self.release(DEVICE_A)
        self.control = (self.control // 2) ^ 0xD008
        return self.release(DEVICE_B)


class Worker(Task):
    destination = HANDLER_A
    letter = 0

    def step(self, packet):
        if packet is None:
            return self.wait()
        self.destination = HANDLER_B if self.destination == HANDLER_A else HANDLER_A
        packet.ident = self.destination
        packet.datum = 0
        for i in range(4):
            self.letter = self.letter % 26 + 1
            packet.data[i] = 64 + self.letter
        return self.send(packet)


class Handler(Task):
    work = None
    devices = None

    def step(self, packet):
        if packet is not None:
            if packet.kind == KIND_WORK:
                self.work = packet.append_to(self.work)
            else:
                self.devices = packet.append_to(self.devices)
        work = self.work
        if work is None:
            return self.wait()
        if work.datum >= 4:
            self.work = work.link
            return self.send(work)
        device = self.devices
        if device is None:
            return self.wait()
        self.devices = device.link
        device.datum = work.data[work.datum]
        work.datum += 1
        return self.send(device)


class Device(Task):
    pending = None

    def step(self, packet):
        if packet is None:
            if self.pending is None:
                return self.wait()
            packet = self.pending
            self.pending = None
            return self.send(packet)
        self.pending = packet
        return self.hold()


class System:
    def __init__(self):
        self.table = [None] * 6
        self.first = None
        self.packets = 0
        self.holds = 0

    def schedule(self):
        task = self.first
        while task is not None:
            if task.blocked():
                task = task.next
            else:
                task = task.run_task()


def packets(ident, kind, n):
    queue = None
    for _ in range(n):
        queue = Packet(queue, ident, kind)
    return queue


def main():
    system = System()
    Idle(system, IDLE, 0, None, True)
    Worker(system, WORKER, 1000, packets(WORKER, KIND_WORK, 2), False)
    Handler(system, HANDLER_A, 2000, packets(DEVICE_A, KIND_DEVICE, 3), False)
    Handler(system, HANDLER_B, 3000, packets(DEVICE_B, KIND_DEVICE, 3), False)
    Device(system, DEVICE_A, 4000, None, False)
    Device(system, DEVICE_B, 5000, None, False)
    system.schedule()
    return system.packets, system.holds
