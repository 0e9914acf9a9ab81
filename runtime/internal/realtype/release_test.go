package realtype

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gosphere/internal/golang"
)

// minorRelease returns 27 for Go 1.27.
func minorRelease(t *testing.T) int {
	t.Helper()
	minor, err := strconv.Atoi(strings.TrimPrefix(golang.Minor, "1."))
	if err != nil {
		t.Fatal(err)
	}
	return minor
}

// filesFor returns the files of this package that a compiler of Go 1.minor builds with tags.
func filesFor(t *testing.T, minor int, tags ...string) []string {
	t.Helper()
	context := build.Default
	context.BuildTags, context.ReleaseTags = tags, nil
	for i := 1; i <= minor; i++ {
		context.ReleaseTags = append(context.ReleaseTags, "go1."+strconv.Itoa(i))
	}
	p, err := context.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	return p.GoFiles
}

func TestOnlyLaterReleasesOfGoAreRefused(t *testing.T) {
	minor := minorRelease(t)
	accepted := filesFor(t, minor)
	if slices.Contains(accepted, "release.go") {
		t.Errorf("Go %s is refused", golang.Minor)
	}
	for _, later := range []int{minor + 1, minor + 2} {
		refused := filesFor(t, later)
		if want := slices.Sorted(slices.Values(append(slices.Clone(accepted), "release.go"))); !slices.Equal(refused, want) {
			t.Errorf("Go 1.%d builds %q, want %q", later, refused, want)
		}
		if got := filesFor(t, later, "unknowngo"); !slices.Equal(got, accepted) {
			t.Errorf("Go 1.%d with the tag unknowngo builds %q, want %q", later, got, accepted)
		}
	}
}

// The sentence has to appear in the compiler's error, which quotes the constant.
func TestTheRefusalOfALaterReleaseSaysWhatToDo(t *testing.T) {
	text, err := os.ReadFile("release.go")
	if err != nil {
		t.Fatal(err)
	}
	// The constraint would have the type checker of this release refuse the whole file.
	source := strings.Replace(string(text), "//go:build go1."+strconv.Itoa(minorRelease(t)+1), "//", 1)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "release.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var messages []string
	config := types.Config{Importer: importer.Default(), Error: func(err error) { messages = append(messages, err.Error()) }}
	config.Check("realtype", fset, []*ast.File{file}, nil)
	if len(messages) != 1 {
		t.Fatalf("errors %q, want one", messages)
	}
	for _, want := range []string{"release.go:", "of Go " + golang.Minor + " only", "toolchain in go.mod", "docs/releasing-go.md", "-tags unknowngo"} {
		if !strings.Contains(messages[0], want) {
			t.Errorf("the error %q does not contain %q", messages[0], want)
		}
	}
}
