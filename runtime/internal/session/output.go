package session

// KeepBytes lets cells print arbitrary bytes unchanged. By default, invalid UTF-8 in streams is
// replaced, because Jupyter's streams carry text.
func (s *Session) KeepBytes() { s.guard.Streams.KeepBytes() }
