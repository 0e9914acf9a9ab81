//go:build !js

package override

// processSupport returns nothing: processes start as in a compiled program.
func processSupport() map[string]any { return nil }
