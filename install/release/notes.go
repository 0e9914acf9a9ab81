package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// notes returns the release notes: the section of the changelog with the version as its heading, or
// else the section of unreleased changes.
func (r *release) notes() ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	number := strings.TrimPrefix(r.version, "v")
	for _, heading := range []string{number, "Unreleased"} {
		if section := changes(string(text), heading); section != "" {
			return []byte("# gosphere " + number + "\n\n" + section + "\n"), nil
		}
	}
	return nil, fmt.Errorf("CHANGELOG.md: no section %s and no section Unreleased, or nothing in it", number)
}

// changes returns the text below the heading of a version, such as "## 0.1.0", "## [v0.1.0]" or "##
// 0.1.0 - 2026-12-01".
func changes(text, version string) string {
	var section strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if heading, is := strings.CutPrefix(line, "## "); is {
			first, _, _ := strings.Cut(strings.TrimSpace(heading), " ")
			inside = strings.TrimPrefix(strings.Trim(first, "[]:"), "v") == version
			continue
		}
		if inside {
			section.WriteString(line)
		}
	}
	return strings.TrimSpace(section.String())
}
