def rotate(x, k):
    return (x << k | x >> (32 - k)) & 0xffffffff
def murmur(b, seed):
    h = seed
    for i in range(0, len(b) - 3, 4):
        word = b[i] | b[i + 1] << 8 | b[i + 2] << 16 | b[i + 3] << 24
        h ^= rotate(word * 0xcc9e2d51 & 0xffffffff, 15) * 0x1b873593 & 0xffffffff
        h = (rotate(h, 13) * 5 + 0xe6546b64) & 0xffffffff
    h ^= len(b)
    h = (h ^ h >> 16) * 0x85ebca6b & 0xffffffff
    h = (h ^ h >> 13) * 0xc2b2ae35 & 0xffffffff
    return h ^ h >> 16
def run(n):
    b = bytearray(n)
    for i in range(n):
        b[i] = i * 13 & 255
    return murmur(b, 42)
