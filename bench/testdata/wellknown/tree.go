package p

// A search tree without balance, with n insertions and 2n look-ups.

type node struct {
	key         int
	left, right *node
}

func (t *node) insert(key int) *node {
	switch {
	case t == nil:
		return &node{key: key}
	case key < t.key:
		t.left = t.left.insert(key)
	case key > t.key:
		t.right = t.right.insert(key)
	}
	return t
}

func (t *node) has(key int) bool {
	for t != nil && t.key != key {
		if key < t.key {
			t = t.left
		} else {
			t = t.right
		}
	}
	return t != nil
}

func Run(n int) int {
	var root *node
	seed := uint32(17)
	for range n {
		seed = seed*1664525 + 1013904223
		root = root.insert(int(seed >> 9))
	}
	found := 0
	seed = 17
	for range 2 * n {
		seed = seed*1664525 + 1013904223
		if root.has(int(seed >> 9)) {
			found++
		}
	}
	return found
}
