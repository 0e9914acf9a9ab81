package streams

// Drain forwards text that has been written to the descriptors.
func (p *Process) Drain() { p.drain() }
