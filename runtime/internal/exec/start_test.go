package exec_test

import (
	"context"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"gosphere/internal/golang"
	"gosphere/runtime/cell"
	"gosphere/runtime/internal/link"
	"gosphere/runtime/internal/packages"
	"gosphere/runtime/internal/source"
)

// fromSource finds one package from source, and compiled packages.
type fromSource struct {
	*packages.Store
	loader *source.Loader
}

func (f fromSource) Import(path string) (*types.Package, error) {
	if p := f.loader.Package(path); p != nil {
		return p.Types, nil
	}
	return f.Store.Import(path)
}

// newSourceSession returns a session that imports example.com/p from source.
func newSourceSession(t *testing.T, text string) *session {
	t.Helper()
	s, err := store()
	if err != nil {
		t.Fatal(err)
	}
	f := fromSource{Store: s}
	f.loader = source.New(s.Import, func(context.Context, string) (source.Place, error) {
		return source.Place{Tree: fstest.MapFS{"p.go": {Data: []byte(text)}}, GoVersion: golang.Version}, nil
	})
	if err := f.loader.Load(t.Context(), []string{"example.com/p"}); err != nil {
		t.Fatal(err)
	}
	return newSessionWith(t, f, f.loader.Of)
}

// compile compiles a cell without running it.
func (s *session) compile(text string) *link.Program {
	s.t.Helper()
	s.number++
	parsed, err := cell.Parse(s.number, text)
	if err != nil {
		s.t.Fatal(err)
	}
	checked, err := s.checker.Check(parsed)
	if err != nil {
		s.t.Fatal(err)
	}
	program, err := s.link.Cell(checked)
	if err != nil {
		s.t.Fatal(err)
	}
	s.checker.Commit(checked)
	return program
}

// start runs the initialization of the packages that a program imports, and returns the panic.
func (s *session) start(p *link.Program) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	s.host.machine.Call(func() {
		for _, first := range p.First {
			first()
		}
	})
	return ""
}

// slowStart initializes itself slowly enough for other goroutines to meet it.
const slowStart = `package p
import "runtime"
var Starts, Sum int
type T struct{ N int }
func (t T) String() string { return "T" }
func init() {
	Starts++
	for i := range 200 { runtime.Gosched(); Sum += i }
	ENDS
}`

// Several goroutines that import a package for the first time initialize it once, and none goes on
// before the end.
func TestPackagesAreInitializedOnceByManyGoroutines(t *testing.T) {
	s := newSourceSession(t, strings.Replace(slowStart, "ENDS", "", 1))
	var list []*link.Program
	for range 8 {
		list = append(list, s.compile("import \"example.com/p\"\np.Starts*100_000 + p.Sum"))
	}
	var all sync.WaitGroup
	for _, p := range list {
		all.Go(func() {
			if text := s.start(p); text != "" {
				t.Error(text)
			}
		})
	}
	all.Wait()
	for _, p := range list {
		run := p.Body.Start()
		for i := range p.Body.Len() {
			run.Step(i)
		}
		run.End()
	}
	if want := slices.Repeat([]string{"int 119900"}, 8); !slices.Equal(s.shown, want) {
		t.Errorf("starts and sums are %q", s.shown)
	}
}

// Those who wait for an initialization that panics get its panic, and none runs it again.
func TestManyGoroutinesLearnThatAnInitializationFails(t *testing.T) {
	s := newSourceSession(t, strings.Replace(slowStart, "ENDS", `panic("no luck")`, 1))
	list := []*link.Program{s.compile(`import "example.com/p"; p.Sum`), s.compile(`import "example.com/p"; p.Sum`), s.compile(`import "example.com/p"; p.Sum`)}
	texts := make(chan string, len(list))
	for _, p := range list {
		go func() { texts <- s.start(p) }()
	}
	told := 0
	for range list {
		text := <-texts
		if !strings.Contains(text, "no luck") {
			t.Errorf("a start ends with %q", text)
		}
		if strings.Contains(text, "panicked in an earlier cell (no luck); restart the kernel") {
			told++
		}
	}
	if told != len(list)-1 {
		t.Errorf("%d of %d starts say that another one has failed", told, len(list))
	}
}

// Two sessions of a process have packages of their own.
func TestSessionsInitializeTheirOwnPackages(t *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		s := newSourceSession(t, strings.Replace(slowStart, "ENDS", "", 1))
		all.Go(func() {
			p := s.compile("import \"example.com/p\"\nimport \"fmt\"\nfmt.Sprint(p.Starts, p.T{1}, []p.T{{2}})")
			if text := s.start(p); text != "" {
				t.Error(text)
			}
			run := p.Body.Start()
			for i := range p.Body.Len() {
				run.Step(i)
			}
			run.End()
			if got := fmt.Sprint(s.shown); got != "[string 1 T [T]]" {
				t.Errorf("the session shows %s", got)
			}
		})
	}
	all.Wait()
}
