package session

// KeepBytes lets cells print any bytes as they are. Without it bytes that are not UTF-8 are
// replaced in streams, which carry text to pages.
func (s *Session) KeepBytes() { s.guard.KeepBytes() }
