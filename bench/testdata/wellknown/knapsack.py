def run(n):
    best = [0] * (n + 1)
    for item in range(1, 61):
        weight, value = item * 7 % 23 + 3, item * 13 % 37 + 1
        for w in range(n, weight - 1, -1):
            v = best[w - weight] + value
            if v > best[w]:
                best[w] = v
    return best[n]
