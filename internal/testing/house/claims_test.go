package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pinned matches an action with the hash of a commit and the version that it had.
var pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d`)

// TestActionsArePinned requires that workflows name the actions of others by the hash of a commit.
// A tag can be moved to other code, which would run with the rights of a release.
func TestActionsArePinned(t *testing.T) {
	found := 0
	for _, pattern := range []string{".github/workflows/*.yml", ".github/actions/*/*.yml"} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				_, action, uses := strings.Cut(line, "uses: ")
				action = strings.TrimSpace(action)
				if !uses || strings.HasPrefix(action, "./") {
					continue
				}
				if found++; !pinned.MatchString(action) {
					t.Errorf("%s: %s: want the hash of a commit and a comment with its version", file, action)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("%d actions", found)
	}
}

// claimTest matches a test in the table of docs/tested.md.
var claimTest = regexp.MustCompile("`([a-z0-9/]+)\\.(Test\\w+)`")

// TestEveryClaimOfSecurityHasATest compares the table of claims with SECURITY.md and the tests:
// each claim is a text of SECURITY.md, and each test exists.
func TestEveryClaimOfSecurityHasATest(t *testing.T) {
	security, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	joined := strings.Join(strings.Fields(string(security)), " ")
	table, err := os.ReadFile(filepath.FromSlash("docs/tested.md"))
	if err != nil {
		t.Fatal(err)
	}
	claims := 0
	_, claimed, _ := strings.Cut(string(table), "## Claims")
	for line := range strings.Lines(claimed) {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| claim") {
			continue
		}
		claim := strings.TrimPrefix(cells[0], "| ")
		if claims++; !strings.Contains(joined, claim) {
			t.Errorf("SECURITY.md does not say: %s", claim)
		}
		tests := claimTest.FindAllStringSubmatch(cells[1], -1)
		if len(tests) == 0 {
			t.Errorf("no test: %s", claim)
		}
		for _, test := range tests {
			if !declaresTest(t, test[1], test[2]) {
				t.Errorf("%s: there is no %s in %s", claim, test[2], test[1])
			}
		}
	}
	if claims < 20 {
		t.Errorf("%d claims", claims)
	}
}

// declaresTest reports whether the tests of a package have a function of that name.
func declaresTest(t *testing.T, folder, name string) bool {
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+name+"(") {
			return true
		}
	}
	return false
}
