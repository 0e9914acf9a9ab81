package modulepath

import (
	"os"
	"strings"
	"testing"
)

func TestPathIsThatOfTheModule(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(text), "\n"); first != "module "+Path {
		t.Errorf("go.mod begins with %q, the path is %q", first, Path)
	}
}

func TestContainsComparesWholeElements(t *testing.T) {
	for path, want := range map[string]bool{Path: true, Path + "/asymvlm/sphere": true, Path + "x": false, "fmt": false, "example.com/" + Path + "/a": false} {
		if Contains(path) != want {
			t.Errorf("%s: %t", path, !want)
		}
	}
}
