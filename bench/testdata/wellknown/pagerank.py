def run(n):
    links = []
    seed = 23
    for i in range(n):
        to = []
        for k in range(5):
            seed = (seed * 1664525 + 1013904223) & 0xffffffff
            to.append((seed >> 10) % n)
        links.append(to)
    rank = [1 / n] * n
    for step in range(20):
        next = [0.0] * n
        for i, to in enumerate(links):
            share = rank[i] / len(to)
            for j in to:
                next[j] += share
        rank = [0.15 / n + 0.85 * r for r in next]
    best = 0
    for i, r in enumerate(rank):
        if r > rank[best]:
            best = i
    return best
