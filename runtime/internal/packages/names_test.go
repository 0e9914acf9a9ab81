package packages

import (
	"slices"
	"testing"
)

func TestBestGuessComesFirst(t *testing.T) {
	store := openGenerated(t)
	for name, want := range map[string]string{
		"rand": "math/rand", "template": "text/template", "scanner": "text/scanner", "pprof": "runtime/pprof",
		"heap": "container/heap", "png": "image/png", "color": "image/color", "draw": "image/draw", "fs": "io/fs",
		"json": "encoding/json", "http": "net/http", "filepath": "path/filepath", "path": "path", "trace": "runtime/trace",
		"constant": "go/constant", "text": "gonum.org/v1/plot/text", "plot": "gonum.org/v1/plot", "palette": "gonum.org/v1/plot/palette",
		"stat": "gonum.org/v1/gonum/stat", "mat": "gonum.org/v1/gonum/mat", "distuv": "gonum.org/v1/gonum/stat/distuv",
		"simple": "gonum.org/v1/gonum/graph/simple", "vg": "gonum.org/v1/plot/vg", "gorgonia": "gorgonia.org/gorgonia",
	} {
		paths := store.PathsNamed(name)
		if len(paths) == 0 || paths[0] != want {
			t.Errorf("packages named %s are %v, want %s first", name, paths, want)
		}
	}
}

func TestEveryPackageOfANameIsOffered(t *testing.T) {
	got := openGenerated(t).PathsNamed("rand")
	if want := []string{"math/rand", "math/rand/v2", "crypto/rand", "golang.org/x/exp/rand"}; !slices.Equal(got, want) {
		t.Errorf("packages named rand are %v, want %v", got, want)
	}
	if got := openGenerated(t).PathsNamed("nosuchname"); len(got) != 0 {
		t.Errorf("packages named nosuchname are %v", got)
	}
}

func TestPreferredPathsExist(t *testing.T) {
	store := openGenerated(t)
	for name, paths := range preferred {
		for _, path := range paths {
			if !slices.Contains(store.PathsNamed(name), path) {
				t.Errorf("%s is preferred for %s but is not in the archive", path, name)
			}
		}
	}
}

func TestCallersCannotChangeTheGuesses(t *testing.T) {
	store := openGenerated(t)
	store.PathsNamed("rand")[0] = "changed"
	if got := store.PathsNamed("rand")[0]; got != "math/rand" {
		t.Errorf("first guess for rand is %s after a caller changed its copy", got)
	}
}

func TestOwnPackagesComeBeforeThirdParties(t *testing.T) {
	segment := Segment{}
	for _, path := range []string{"example.org/figure", "gonum.org/v1/figure", "gosphere/plotting/figure", "image/figure"} {
		segment.Packages = append(segment.Packages, Package{Path: path, Name: "figure", Types: []byte("i")})
	}
	store, err := Open(encode(t, segment))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"image/figure", "gosphere/plotting/figure", "gonum.org/v1/figure", "example.org/figure"}
	if got := store.PathsNamed("figure"); !slices.Equal(got, want) {
		t.Errorf("order is %v, want %v", got, want)
	}
}
