package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hostFiles are a program whose sources use a package of its own.
var hostFiles = map[string]string{
	"go.mod": "module example.com/host\n\ngo 1.27\n",
	"model/model.go": `// Package model has one declaration of each kind.
package model

import "time"

// Limit is a constant.
const Limit = 1 << 20

// Count is a variable.
var Count = 3

// A Shape has an area.
type Shape interface{ Area() float64 }

// A Square is a Shape.
type Square struct{ Side float64 }

// Area returns the area.
func (s Square) Area() float64 { return s.Side * s.Side }

// A List is generic.
type List[T any] struct{ Items []T }

// Add adds an item.
func (l *List[T]) Add(item T) { l.Items = append(l.Items, item) }

// Total returns the sum of areas.
func Total(shapes ...Shape) (sum float64) {
	for _, s := range shapes {
		sum += s.Area()
	}
	return sum
}

// Twice has a type of another package, of which a source has the whole from another library.
func Twice(d time.Duration) time.Duration { return 2 * d }

// Map is a generic function.
func Map[T, U any](list []T, f func(T) U) (mapped []U) {
	for _, x := range list {
		mapped = append(mapped, f(x))
	}
	return mapped
}

func hidden() {}
`,
	"main.go": `package main

import (
	"context"
	"fmt"

	"example.com/host/model"
	"gosphere/runtime/interp"
	"gosphere/runtime/interp/std"
)

type circle struct{ r float64 }

func (c circle) Area() float64 { return 3 * c.r * c.r }

func main() {
	s, err := interp.New(interp.Options{})
	if err != nil {
		panic(err)
	}
	if err := s.Use(Library, std.Core); err != nil {
		panic(err)
	}
	if err := s.Bind("c", &circle{2}); err != nil {
		panic(err)
	}
	for _, source := range []string{
		"import \"example.com/host/model\"\nmodel.Total(model.Square{Side: 2}, c)",
		"type half struct{ of model.Shape }\nfunc (h half) Area() float64 { return h.of.Area() / 2 }\nmodel.Total(half{model.Square{3}})",
		"model.Count++; model.Count",
		"model.Limit",
		"model.Map([]int{1, 2}, func(n int) string { return string(rune('a' + n)) })",
		"var l model.List[string]; l.Add(\"x\"); l.Items",
		"model.hidden()",
		"strings.ToUpper(\"core\")",
		"d := 3 * time.Second; d = model.Twice(d); d.Seconds()",
	} {
		v, err := s.Eval(context.Background(), source)
		fmt.Println(v, err != nil)
	}
	fmt.Println(model.Count)
}
`,
}

// mostBytes is the size that a program with interp and std.Core may have, without symbols: 20 MB
// more than one that only prints a line with package fmt, which has 1.5 MB.
const mostBytes = 21_600_000

// The files that extract writes are those with which a program compiles and its sources see a
// package as compiled code does, but for its generic functions and types, which are refused. The
// types of package main of the program are not those of the sources.
func TestSourcesUseAnExtractedPackage(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range hostFiles {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	work := filepath.Join(folder, "go.work")
	if err := os.WriteFile(work, []byte("go 1.27\n\nuse .\nuse "+filepath.ToSlash(root)+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", work)
	out := filepath.Join(folder, "library.go")
	if err := run(out, "Library", "main", []string{"./model"}, nil); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "host.exe")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	build.Dir = folder
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if info, err := os.Stat(program); err != nil || info.Size() > mostBytes {
		t.Errorf("the program has %d bytes, more than %d: %v", info.Size(), mostBytes, err)
	}
	said, err := exec.Command(program).CombinedOutput()
	if want := "16 false\n4.5 false\n4 false\n1048576 false\n<invalid reflect.Value> true\n<invalid reflect.Value> true\n<invalid reflect.Value> true\nCORE false\n6 false\n4\n"; err != nil || string(said) != want {
		t.Errorf("%v\ngot\n%swant\n%s", err, said, want)
	}
	for _, c := range []struct{ name, in, pattern, want string }{
		{"Not one", "main", "./model", "must be identifiers"},
		{"Library", "main", "./nothing", "nothing"},
	} {
		if err := run(out, c.name, c.in, []string{c.pattern}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v", c.name, c.pattern, err)
		}
	}
}
