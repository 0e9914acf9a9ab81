class place:
    __slots__ = ('x', 'y')
    def __init__(self, x, y):
        self.x, self.y = x, y
def far(a, b):
    dx, dy = a.x - b.x, a.y - b.y
    return dx * dx + dy * dy
def run(n):
    seed = 9
    def next():
        nonlocal seed
        seed = (seed * 1664525 + 1013904223) & 0xffffffff
        return (seed >> 8) / (1 << 24)
    points = [place(next() + i % 4, next() + i % 2) for i in range(n)]
    centers = points[:8]
    for step in range(10):
        sums, counts = [place(0.0, 0.0) for k in range(8)], [0] * 8
        for p in points:
            best = 0
            for k in range(1, len(centers)):
                if far(p, centers[k]) < far(p, centers[best]):
                    best = k
            sums[best].x += p.x
            sums[best].y += p.y
            counts[best] += 1
        for k, c in enumerate(counts):
            if c > 0:
                centers[k] = place(sums[k].x / c, sums[k].y / c)
    return int(centers[3].x * 1e6)
