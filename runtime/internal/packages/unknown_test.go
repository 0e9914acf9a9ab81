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
	e := &UnknownPackage{Path: "github.com/google/uuid"}
	want := "it is not preloaded; there are the standard library and the modules that %modules lists; `gosphere build --with MODULE@VERSION` makes a program with more"
	if got := e.Error(); got != want {
		t.Errorf("the error is\n%s\nwant\n%s", got, want)
	}
	e = &UnknownPackage{Path: "encodng/json", Near: []string{"encoding/json"}}
	if got, want := e.Error(), "it is not preloaded; did you mean encoding/json?"; got != want {
		t.Errorf("the error is\n%s\nwant\n%s", got, want)
	}
}

func TestModulesOfPackagesFollowTheCustomOfTheirHosts(t *testing.T) {
	for path, want := range map[string]string{
		"github.com/go-gota/gota/dataframe": "github.com/go-gota/gota", "github.com/spf13/cobra": "github.com/spf13/cobra",
		"github.com/a/b/v2/c": "github.com/a/b/v2", "github.com/a/b/v1/c": "github.com/a/b", "golang.org/x/text/language": "golang.org/x/text",
		"gopkg.in/yaml.v3": "gopkg.in/yaml.v3", "go.uber.org/zap/zapcore": "go.uber.org/zap", "example.org/a/b": "example.org/a/b", "github.com/a": "github.com/a",
	} {
		if got := ModuleOf(path); got != want {
			t.Errorf("the module of %s is %q, want %q", path, got, want)
		}
	}
}

func TestAnImportOfALinkedDriverNamesTheDriver(t *testing.T) {
	s := &Store{}
	if got := s.Driver("modernc.org/sqlite"); got != "" {
		t.Errorf("driver %q of a program without it", got)
	}
	s.Drivers = func() []string { return []string{"postgres", "sqlite"} }
	e := s.unknown("modernc.org/sqlite")
	if got, want := e.Error(), "it is not preloaded, but its driver is in the program: sql.Open(\"sqlite\", ...) needs no import"; got != want {
		t.Errorf("the error is %q, want %q", got, want)
	}
	if got := s.Driver("github.com/lib/pq"); got != "" {
		t.Errorf("driver %q", got)
	}
}

func TestFoldersAreNotProposedAsModules(t *testing.T) {
	e := &UnknownPackage{Path: "./helpers"}
	if got, want := e.Error(), "it is not preloaded; there are the standard library and the modules that %modules lists"; got != want {
		t.Errorf("the error is %q, want %q", got, want)
	}
}
