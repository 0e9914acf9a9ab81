import math
def simpson(f, a, b, n):
    h = (b - a) / n
    sum = f(a) + f(b)
    for i in range(1, n):
        if i % 2 == 1:
            sum += 4 * f(a + i * h)
        else:
            sum += 2 * f(a + i * h)
    return sum * h / 3
def run(n):
    sum = 0.0
    for k in range(3):
        c = float(k)
        sum += simpson(lambda x: math.sqrt(x + c) * (1 - x * x), 0.0, 1.0, n)
    return int(sum * 1e9)
