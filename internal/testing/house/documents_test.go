package house

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	// link matches the target of a link in Markdown, and not the index of a name in Go.
	link = regexp.MustCompile(`(?:^|\W)\[[^][]*\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	// anchor matches the target of a link to a heading of a Markdown file.
	anchor = regexp.MustCompile(`\]\(([^)#\s:]*)#([^)\s]+)\)`)
	// heading matches a heading.
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	// notInAnchors matches the characters that are removed from a heading for its anchor.
	notInAnchors = regexp.MustCompile(`[^\pL\pN _-]`)
	// pathInCode matches a file of this repository in a code span.
	pathInCode = regexp.MustCompile("`((?:internal|runtime|asymvlm|plotting|notebooks|bench|kernel|install|docs)/[\\w./-]+\\.(?:go|md|s|py|sh))`")
	// fileName matches the name of a Go file in a comment.
	fileName = regexp.MustCompile(`(^|[\s(])([a-z0-9_]+\.go)\b`)
)

// documents lists the Markdown files of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	atRoot(t)
	listed, err := exec.Command("git", "ls-files", "-z", "*.md").Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	return strings.Split(strings.TrimRight(string(listed), "\x00"), "\x00")
}

func TestDocumentsNameFilesThatExist(t *testing.T) {
	exists := func(name string) bool { _, err := os.Stat(name); return err == nil }
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // deleted
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(m[1], ":") && !exists(path.Join(path.Dir(name), m[1])) {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
		if name == "CHANGELOG.md" || name == "runtime/internal/realtype/README.md" {
			continue // files that were there once, or are those of Go's own tree
		}
		for _, m := range pathInCode.FindAllStringSubmatch(string(text), -1) {
			if !exists(m[1]) && !exists(path.Join(path.Dir(name), m[1])) {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
}

func TestDocumentsLinkToHeadingsThatExist(t *testing.T) {
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // deleted
		}
		for _, m := range anchor.FindAllStringSubmatch(string(text), -1) {
			target := name
			if m[1] != "" {
				target = path.Join(path.Dir(name), m[1])
			}
			page, err := os.ReadFile(target)
			if err != nil || path.Ext(target) != ".md" {
				continue // another test finds missing files
			}
			found := false
			for _, h := range heading.FindAllStringSubmatch(string(page), -1) {
				found = found || strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-") == m[2]
			}
			if !found {
				t.Errorf("%s links to %s#%s, and there is no such heading", name, target, m[2])
			}
		}
	}
}

// TestReadingOrdersNameFilesOfThePackage reads the comments of packages, which name files without a
// folder.
func TestReadingOrdersNameFilesOfThePackage(t *testing.T) {
	for _, file := range readTree(t) {
		if file.test || file.syntax.Doc == nil {
			continue
		}
		for _, m := range fileName.FindAllStringSubmatch(file.syntax.Doc.Text(), -1) {
			if _, err := os.Stat(path.Join(file.room, m[2])); err != nil {
				t.Errorf("%s: the comment of the package names %s, which is not there", file.name, m[2])
			}
		}
	}
}

func TestTheArchitectureNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range readTree(t) {
		if room := file.room; room == "" || file.test || seen[room] {
			continue
		}
		seen[file.room] = true
		named := false
		for room := file.room; room != "." && !named; room = path.Dir(room) {
			named = strings.Contains(string(text), "`"+room+"`")
		}
		if !named {
			t.Errorf("%s is not in the table of docs/architecture.md", file.room)
		}
	}
}

// TestTheChangelogStatesEachChangeOnce finds the remains of merges: a second heading of a kind
// within a version, a line of an entry that is there twice, and a line that continues no entry.
func TestTheChangelogStatesEachChangeOnce(t *testing.T) {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	version, before := "", ""
	seen := map[string]bool{}
	for i, line := range strings.Split(string(text), "\n") {
		entry := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "  ")
		switch {
		case strings.HasPrefix(line, "## "):
			version = line
		case strings.HasPrefix(line, "### "):
			line = version + " " + line
			fallthrough
		case entry:
			if seen[line] {
				t.Errorf("CHANGELOG.md:%d is there twice: %s", i+1, line)
			}
			seen[line] = true
		}
		if strings.HasPrefix(line, "  ") && before == "" {
			t.Errorf("CHANGELOG.md:%d continues no entry: %s", i+1, line)
		}
		before = line
	}
}
