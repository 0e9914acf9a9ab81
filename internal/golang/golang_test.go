package golang

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// goMod parses the go.mod of this module.
func goMod(t *testing.T) *modfile.File {
	t.Helper()
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

func TestCellsHaveTheLanguageOfGoMod(t *testing.T) {
	mod := goMod(t)
	if mod.Go.Version != Minor {
		t.Errorf("go.mod states go %s, cells have %s", mod.Go.Version, Minor)
	}
	if mod.Toolchain == nil || !strings.HasPrefix(mod.Toolchain.Name, Version+".") {
		t.Errorf("go.mod states toolchain %v, want a release of %s", mod.Toolchain, Version)
	}
}

// Documents and images name the release in places that nothing else reads.
func TestEveryMentionOfTheReleaseIsThatOfGoMod(t *testing.T) {
	toolchain := goMod(t).Toolchain.Name
	for file, want := range map[string]string{
		"README.md":                         "From a clone, with Go 1.21 or later:",
		"docs/cells.md":                     "Cells run all of Go " + Minor + " except",
		"docs/modules.md":                   "Go " + Minor,
		"CONTRIBUTING.md":                   "Go " + Minor,
		"Dockerfile":                        "golang:" + Minor + "-bookworm",
		"Containerfile":                     "golang:" + Minor + "-bookworm",
		".devcontainer/devcontainer.json":   "go:" + Minor + "-bookworm",
		"install/licenses/dependencies.txt": toolchain + " ",
		"install/licenses/NOTICE":           "the Go standard library " + toolchain,
	} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(text), want) {
			t.Errorf("%s does not contain %q", file, want)
		}
	}
}
