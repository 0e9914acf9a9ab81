def run(n):
    inside = 0
    for py in range(n):
        for px in range(n):
            cx, cy = px * 3 / n - 2, py * 2 / n - 1
            x, y, steps = 0.0, 0.0, 0
            while steps < 100 and x * x + y * y <= 4:
                x, y = x * x - y * y + cx, 2 * x * y + cy
                steps += 1
            if steps == 100:
                inside += 1
    return inside
