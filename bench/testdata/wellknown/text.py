def run(n):
    s = ''
    for i in range(n):
        s += 'xyz'[i % 3]
    runes = list(s)
    i, j = 0, len(runes) - 1
    while i < j:
        runes[i], runes[j] = runes[j], runes[i]
        i, j = i + 1, j - 1
    count = 0
    for r in ''.join(runes).upper():
        if r == 'Y':
            count += 1
    for part in s.split('z'):
        count += len(part)
    return count
