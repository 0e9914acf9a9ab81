package override

// popularSupport returns nothing, because the program for the browser omits the popular modules.
func (g functions) popularSupport() map[string]any { return nil }
