def step(now, next):
    n = len(now)
    for y, row in enumerate(now):
        for x, alive in enumerate(row):
            around = 0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if (dy or dx) and now[(y + dy) % n][(x + dx) % n]:
                        around += 1
            next[y][x] = around == 3 or alive and around == 2
def run(n):
    now = [[(x * x + 3 * y) % 5 < 2 for x in range(n)] for y in range(n)]
    next = [[False] * n for y in range(n)]
    for generation in range(40):
        step(now, next)
        now, next = next, now
    return sum(sum(row) for row in now)
