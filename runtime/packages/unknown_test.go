package packages

import (
	"slices"
	"testing"
)

func TestUnknownPackagesAreAnsweredWithNearOnesAndAWayOut(t *testing.T) {
	known := []string{"crypto/rand", "encoding/json", "gonum.org/v1/gonum/mat", "gonum.org/v1/plot", "gosphere/asymvlm/sphere", "math", "math/rand"}
	for path, want := range map[string][]string{
		"gonum.org/v1/gonum/matt": {"gonum.org/v1/gonum/mat"},
		"gosphere/asymvlm/sphre":  {"gosphere/asymvlm/sphere"},
		"rand":                    {"crypto/rand", "math/rand"},
		"gonum/mat":               {"gonum.org/v1/gonum/mat"},
		"maths":                   {"math"},
		"github.com/google/uuid":  nil,
		"":                        nil,
	} {
		if got := near(path, known); !slices.Equal(got, want) {
			t.Errorf("near %q are %q, want %q", path, got, want)
		}
	}
	e := &UnknownPackage{Path: "github.com/google/uuid", Modules: []string{"gonum.org/v1/gonum", "gosphere"}}
	want := "it is not preloaded; there are the standard library, gonum.org/v1/gonum, gosphere; `gosphere build --with MODULE@VERSION` makes a program with more"
	if got := e.Error(); got != want {
		t.Errorf("the error is\n%s\nwant\n%s", got, want)
	}
	e = &UnknownPackage{Path: "encodng/json", Near: []string{"encoding/json"}}
	if got, want := e.Error(), "it is not preloaded; did you mean encoding/json?"; got != want {
		t.Errorf("the error is\n%s\nwant\n%s", got, want)
	}
}

func TestModulesAreNamedForPeople(t *testing.T) {
	for path, want := range map[string]string{
		"math/rand": "", "gosphere/asymvlm/sphere": "gosphere", "gonum.org/v1/gonum/mat": "gonum.org/v1/gonum", "gorgonia.org/tensor": "gorgonia.org/tensor",
	} {
		if got := moduleOf(path); got != want {
			t.Errorf("the module of %s is %q, want %q", path, got, want)
		}
	}
}
