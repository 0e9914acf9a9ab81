package debug

// References are the numbers by which clients ask for the parts of values. They hold the values
// until Renew has been called twice, so that a client may still ask for what it was told before
// another one asked anew.
type References struct {
	last           int
	recent, former map[int]any
}

// Add gives something a number.
func (r *References) Add(v any) int {
	if r.recent == nil {
		r.recent = map[int]any{}
	}
	r.last++
	r.recent[r.last] = v
	return r.last
}

// Find returns what has a number.
func (r *References) Find(number int) (v any, ok bool) {
	if v, ok = r.recent[number]; !ok {
		v, ok = r.former[number]
	}
	return v, ok
}

// Renew begins a new generation of numbers.
func (r *References) Renew() { r.former, r.recent = r.recent, nil }

// Clear forgets everything. Numbers are not used again.
func (r *References) Clear() { r.former, r.recent = nil, nil }
