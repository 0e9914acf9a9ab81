package guard

// widen does nothing: pipes grow by themselves here.
func widen(int) {}
