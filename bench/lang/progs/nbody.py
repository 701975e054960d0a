from math import sqrt

class Body:
    def __init__(self, x, y, z, vx, vy, vz, m):
        self.x = x
        self.y = y
        self.z = z
        self.vx = vx
        self.vy = vy
        self.vz = vz
        self.m = m

def advance(bodies, dt):
    n = len(bodies)
    for i in range(n):
        b = bodies[i]
        for j in range(i + 1, n):
            c = bodies[j]
            dx = b.x - c.x
            dy = b.y - c.y
            dz = b.z - c.z
            d2 = dx * dx + dy * dy + dz * dz
            mag = dt / (d2 * sqrt(d2))
            bm = c.m * mag
            b.vx -= dx * bm
            b.vy -= dy * bm
            b.vz -= dz * bm
            cm = b.m * mag
            c.vx += dx * cm
            c.vy += dy * cm
            c.vz += dz * cm
    for b in bodies:
        b.x += dt * b.vx
        b.y += dt * b.vy
        b.z += dt * b.vz

def main():
    bodies = [
        Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47),
        Body(4.84, -1.16, -0.10, 0.60, 2.81, -0.02, 0.037),
        Body(8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011),
        Body(12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017),
        Body(15.37, -25.9, 0.179, 0.979, 0.594, -0.034, 0.002),
    ]
    for i in range(20000):
        advance(bodies, 0.01)
    return bodies[0].x
