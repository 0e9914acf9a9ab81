def run(n):
    parts = []
    seed = 31
    for i in range(n):
        seed = (seed * 1664525 + 1013904223) & 0xffffffff
        parts.append('token' + str((seed >> 15) % 1009) + ' .\n'[(seed >> 30) % 3])
    text, counts, start = ''.join(parts), {}, -1
    for i, c in enumerate(text):
        inside = 'a' <= c <= 'z' or '0' <= c <= '9'
        if inside and start < 0:
            start = i
        elif not inside and start >= 0:
            word = text[start:i]
            counts[word] = counts.get(word, 0) + 1
            start = -1
    names = sorted(counts, key=lambda name: (-counts[name], name))
    return counts[names[0]] * 10000 + len(names)
