def place(all, columns, left, right):
    if columns == all:
        return 1
    count = 0
    free = all & ~(columns | left | right)
    while free:
        bit = free & -free
        count += place(all, columns | bit, (left | bit) << 1, (right | bit) >> 1)
        free &= free - 1
    return count
def run(n):
    return place((1 << n) - 1, 0, 0, 0)
