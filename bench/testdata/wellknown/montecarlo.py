class source:
    def __init__(self, x):
        self.x = x
    def next(self):
        x = self.x
        x ^= x >> 12
        x = (x ^ x << 25) & 0xffffffffffffffff
        x ^= x >> 27
        self.x = x
        return ((x * 0x2545f4914f6cdd1d & 0xffffffffffffffff) >> 11) / (1 << 53)
def run(n):
    s = source(88172645463325252)
    inside = 0
    for i in range(n):
        x, y = s.next(), s.next()
        if x * x + y * y < 1:
            inside += 1
    return inside
