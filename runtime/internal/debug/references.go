package debug

// References are the numbers by which clients request the children of values. They hold the values
// until Renew has been called twice, so that a client can still use a number that it received
// before another client's request. A reference keeps its value alive, so numbers must end: they
// would keep every value that was ever displayed. The caller provides the lock.
type References struct {
	last           int
	recent, former map[int]any
}

// Add returns a new number for a value.
func (r *References) Add(v any) int {
	if r.recent == nil {
		r.recent = map[int]any{}
	}
	r.last++
	r.recent[r.last] = v
	return r.last
}

// Find returns the value for a number.
func (r *References) Find(number int) (v any, ok bool) {
	if v, ok = r.recent[number]; !ok {
		v, ok = r.former[number]
	}
	return v, ok
}

// Renew starts a new generation of numbers.
func (r *References) Renew() { r.former, r.recent = r.recent, nil }

// Clear removes all values. Numbers are not reused.
func (r *References) Clear() { r.former, r.recent = nil, nil }
