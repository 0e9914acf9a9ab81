package main

import (
	"strings"
	"testing"
)

func TestEveryDeclarationBecomesAPanic(t *testing.T) {
	text := fallback("// doc\n\n//go:build amd64\n\npackage device\n\n//go:noescape\nfunc f(n int) float32\n\nfunc g()\n")
	for _, want := range []string{"//go:build !amd64", "func f(n int) float32 {\n\tpanic(noAssembly)\n}", "func g() {"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "noescape") {
		t.Error("a function with a body cannot be noescape")
	}
}
