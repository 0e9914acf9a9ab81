package examples

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/internal/testing/sessiontest"
	"gosphere/runtime/session"
)

// modules are the modules of go.mod whose packages are preloaded.
var modules = []string{
	"gonum.org/v1/gonum/...", "gonum.org/v1/plot/...", "gorgonia.org/gorgonia/...", "gorgonia.org/tensor/...", "golang.org/x/image/...",
	"golang.org/x/text/...", "golang.org/x/crypto/...", "golang.org/x/net/html/...", "golang.org/x/exp/rand", "golang.org/x/exp/slog",
	"github.com/BurntSushi/toml", "github.com/google/go-cmp/...", "github.com/google/uuid", "gopkg.in/yaml.v3",
}

// sample is the sampling interval of files unless EXAMPLES selects them.
const sample = 5

// A player runs files and counts results.
type player struct {
	options session.Options
	offered []string
	counts  map[string]int
	seen    map[string]bool // packages
	used    map[string]bool // lines of known
}

// TestExamplesPrintWhatTheyPromise runs a sample of the examples of the standard library and the
// preloaded modules, and those known to differ. EXAMPLES=PART runs all examples of packages whose
// paths contain PART instead.
func TestExamplesPrintWhatTheyPromise(t *testing.T) {
	part, chosen := os.LookupEnv("EXAMPLES")
	list, err := List(append([]string{"std", "cmd"}, modules...)...)
	if err != nil {
		t.Skip(err)
	}
	options := sessiontest.Options()
	p := &player{options, sessiontest.Packages(t).Paths(), map[string]int{}, map[string]bool{}, map[string]bool{}}
	t.Setenv("GOSPHERE_WARNINGS", "off")
	west, err := time.LoadLocation("America/Los_Angeles") // as Go's own tests set it
	if err != nil {
		t.Fatal(err)
	}
	here := time.Local
	time.Local = west
	defer func() { time.Local = here }()
	n := 0
	for _, pkg := range list {
		if !strings.Contains(pkg.ImportPath, part) {
			continue
		}
		files, err := pkg.Files()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			p.seen[f.Package] = true
			if n++; chosen || n%sample == 0 || f.isKnown() {
				p.file(t, f)
			}
		}
	}
	for name := range known {
		if p.seen[name[:strings.LastIndex(name, ".")]] && !p.used[name] {
			t.Errorf("%s is listed as different and is as promised, or not there any more: take the line away", name)
		}
	}
	if n == 0 {
		t.Skip("no package with examples is here")
	}
	for _, what := range slices.Sorted(maps.Keys(p.counts)) {
		t.Logf("%5d %s", p.counts[what], what)
	}
}

// isKnown reports whether one of the file's examples is known to differ.
func (f *File) isKnown() bool {
	return slices.ContainsFunc(f.Examples, func(e Example) bool { return known[f.Package+"."+e.Name] != "" })
}

// file runs the examples of one file in all ways.
func (p *player) file(t *testing.T, f *File) {
	if !slices.Contains(p.offered, f.Package) {
		p.counts["are about packages that are not preloaded"] += len(f.Examples)
		return
	}
	t.Chdir(f.Dir)
	f.Examples = slices.DeleteFunc(f.Examples, func(e Example) bool {
		name := f.Package + "." + e.Name
		if known[name] != endless {
			return false
		}
		p.counts["that "+endless]++
		p.used[name] = true
		return true
	})
	for way := range Ways {
		outcomes, err := f.Play(p.options, way)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			name := f.Package + "." + o.Example.Name
			reason := cmp.Or(known[name], f.Beyond(o.Example, o.Failure, p.offered))
			switch {
			case o.OK && o.Example.Silent:
				p.counts["without output compile"]++
			case o.OK:
				p.counts["print what they promise, "+way.String()]++
			case reason != "":
				p.counts["that "+reason]++
				p.used[name] = true
			default:
				t.Errorf("%s %s: %s", name, way, describe(o))
			}
		}
	}
}

// describe returns what is wrong with an outcome.
func describe(o Outcome) string {
	if o.Failure != "" {
		return o.Failure
	}
	return fmt.Sprintf("printed\n%s\nand promised\n%s", o.Got, o.Example.Want)
}
