import math
class vector:
    __slots__ = ('x', 'y', 'z')
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z
    def plus(self, b):
        return vector(self.x + b.x, self.y + b.y, self.z + b.z)
    def minus(self, b):
        return vector(self.x - b.x, self.y - b.y, self.z - b.z)
    def times(self, k):
        return vector(k * self.x, k * self.y, k * self.z)
    def product(self, b):
        return self.x * b.x + self.y * b.y + self.z * b.z
class star:
    __slots__ = ('at', 'speed', 'mass')
    def __init__(self, at, mass):
        self.at, self.speed, self.mass = at, vector(0.0, 0.0, 0.0), mass
    def attract(self, o, dt):
        way = o.at.minus(self.at)
        d = way.product(way) + 0.02
        self.speed = self.speed.plus(way.times(dt * o.mass / (d * math.sqrt(d))))
    def drift(self, dt):
        self.at = self.at.plus(self.speed.times(dt))
def run(n):
    stars = [star(vector(float(i), float(i * i % 11), -i / 2), 1.0 + i % 3) for i in range(10)]
    for step in range(n):
        for s in stars:
            for o in stars:
                if s is not o:
                    s.attract(o, 0.005)
        for s in stars:
            s.drift(0.005)
    sum = vector(0.0, 0.0, 0.0)
    for s in stars:
        sum = sum.plus(s.at)
    return int(sum.product(sum) * 1e6)
