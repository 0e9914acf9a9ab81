package assist

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/packages"
)

var openStore = sync.OnceValues(func() (*packages.Store, error) {
	dir := filepath.Join("..", "..", "symbols", "archive")
	shared, err := os.ReadFile(filepath.Join(dir, "shared.bin"))
	if err != nil {
		return nil, err
	}
	platform, err := os.ReadFile(filepath.Join(dir, runtime.GOOS+"_"+runtime.GOARCH+".bin"))
	if err != nil {
		return nil, err
	}
	return packages.Open(string(shared), string(platform))
})

// assistant returns an Assistant for a session in which the cells have run.
func assistant(t testing.TB, cells ...string) *Assistant {
	t.Helper()
	store, err := openStore()
	if err != nil {
		t.Fatal(err)
	}
	s := check.NewSession(store)
	for i, source := range cells {
		c, err := cell.Parse(i+1, source)
		if err != nil {
			t.Fatal(err)
		}
		checked, err := s.Check(c)
		if err != nil {
			t.Fatal(err)
		}
		s.Commit(checked)
	}
	return New(s, store)
}

// cursor removes the bar from a text and returns its position in code points.
func cursor(code string) (string, int) {
	before, after, _ := strings.Cut(code, "|")
	return before + after, utf8.RuneCountInString(before)
}

// setup contains the cells that kernelbench runs before its requests.
var setup = []string{
	"import (\n\t\"fmt\"\n\t\"math\"\n\t\"strings\"\n)\nfmt.Println(math.Pi, strings.ToUpper(\"x\"))",
	"// Point is a named point.\ntype Point struct {\n\tName string\n\tXcoord int\n}\n\n" +
		"// Greet returns a greeting for p.\nfunc (p Point) Greet() string {\n\treturn \"hi \" + p.Name\n}\n\n" +
		"// addTwo adds two.\nfunc addTwo(n int) int {\n\treturn n + 2\n}\n" +
		"myCounter := 41\nmyPoint := Point{\"a\", 1}\nmyPoints := []Point{myPoint}",
}
