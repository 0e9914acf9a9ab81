def run(n):
    a = [[(i + j) / 10 for j in range(n)] for i in range(n)]
    b = [[(i - j) / 7 for j in range(n)] for i in range(n)]
    trace = 0.0
    for i in range(n):
        row = [0.0] * n
        for k, x in enumerate(a[i]):
            for j, y in enumerate(b[k]):
                row[j] += x * y
        trace += row[i]
    return int(trace)
