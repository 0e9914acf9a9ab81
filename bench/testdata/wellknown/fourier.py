import math
def transform(re, im):
    n = len(re)
    j = 0
    for i in range(1, n):
        bit = n // 2
        while j & bit:
            j ^= bit
            bit //= 2
        j ^= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    size = 2
    while size <= n:
        half = size // 2
        turnR, turnI = math.cos(2 * math.pi / size), math.sin(2 * math.pi / size)
        for start in range(0, n, size):
            wR, wI = 1.0, 0.0
            for k in range(start, start + half):
                r = re[k + half] * wR - im[k + half] * wI
                i = re[k + half] * wI + im[k + half] * wR
                re[k + half], im[k + half] = re[k] - r, im[k] - i
                re[k] += r
                im[k] += i
                wR, wI = wR * turnR - wI * turnI, wR * turnI + wI * turnR
        size *= 2
def run(n):
    size = 1
    while size < n:
        size *= 2
    re, im = [float(i % 13) for i in range(size)], [0.0] * size
    transform(re, im)
    return int(re[0])
