class node:
    __slots__ = ('key', 'left', 'right')
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None
def insert(t, key):
    if t is None:
        return node(key)
    if key < t.key:
        t.left = insert(t.left, key)
    elif key > t.key:
        t.right = insert(t.right, key)
    return t
def has(t, key):
    while t is not None and t.key != key:
        t = t.left if key < t.key else t.right
    return t is not None
def run(n):
    root = None
    seed = 17
    for i in range(n):
        seed = (seed * 1664525 + 1013904223) & 0xffffffff
        root = insert(root, seed >> 9)
    found = 0
    seed = 17
    for i in range(2 * n):
        seed = (seed * 1664525 + 1013904223) & 0xffffffff
        if has(root, seed >> 9):
            found += 1
    return found
