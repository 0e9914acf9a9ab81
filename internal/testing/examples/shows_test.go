package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
)

const written = `package fruit_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

type apple struct{ kind string }

func (a apple) String() string { return strings.ToUpper(a.kind) }

func TestNothing(t *testing.T) { _ = exec.Command }

func Example() {
	fmt.Printf("%v %T\n", apple{"cox"}, apple{})
	// Output: COX fruit_test.apple
}

func ExampleApple_wrong() {
	fmt.Println("red")
	// Output: green
}

func ExampleApple_unordered() {
	fmt.Println("b\na")
	// Unordered output:
	// a
	// b
}

func ExampleApple_panics() {
	var none []int
	fmt.Println(none[len(none)])
	// Output: 1
}

func ExampleApple_silent() { fmt.Println(apple{}) }
`

func TestAnExampleIsHeldToItsPromise(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "fruit_test.go"), []byte(written), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := Package{ImportPath: "garden/fruit", Dir: dir, XTestGoFiles: []string{"fruit_test.go"}}.Files()
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, want 1: %v", len(files), err)
	}
	if strings.Contains(files[0].Imports, "exec") || strings.Contains(files[0].Declared, "TestNothing") {
		t.Errorf("what tests need came along: %s\n%s", files[0].Imports, files[0].Declared)
	}
	options := sessiontest.Options()
	want := map[string]bool{"Example": true, "ExampleApple_wrong": false, "ExampleApple_unordered": true, "ExampleApple_panics": false, "ExampleApple_silent": true}
	for way := range Ways {
		outcomes, err := files[0].Play(options, way)
		if err != nil || len(outcomes) != len(want) {
			t.Fatalf("%d outcomes, want %d: %v", len(outcomes), len(want), err)
		}
		for _, o := range outcomes {
			if o.OK != want[o.Example.Name] {
				t.Errorf("%s %s: taken for right is %v, want %v (%q, %s)", o.Example.Name, way, o.OK, want[o.Example.Name], o.Got, o.Failure)
			}
		}
	}
}
