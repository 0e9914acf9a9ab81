package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sourceName returns the name of the archive with the source.
func (r *release) sourceName() string {
	return "gosphere_" + strings.TrimPrefix(r.version, "v") + "_source.tar.gz"
}

// source returns an archive of the files that git tracks, except test data that a build does not
// need.
func (r *release) source() ([]byte, error) {
	listed, err := git(r.root, "ls-files", "-z")
	if err != nil {
		return nil, fmt.Errorf("files of the source: %w", err)
	}
	var entries []entry
	for name := range strings.SplitSeq(listed, "\x00") {
		if name == "" || strings.HasPrefix(name, ".") || strings.Contains("/"+name, "/testdata/") && !strings.HasPrefix(name, "runtime/internal/") {
			continue
		}
		path := filepath.Join(r.root, filepath.FromSlash(name))
		info, err := os.Lstat(path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{"gosphere-" + strings.TrimPrefix(r.version, "v") + "/" + name, text, 0o644})
	}
	return tarred(entries, r.time)
}

// stamps returns linker flags that tell the program its version and the address and checksum of its
// source.
func (r *release) stamps() string {
	text := " -X gosphere/internal/command/process.released=" + r.version
	if sum := r.sums[r.sourceName()]; sum != "" {
		text += " -X gosphere/internal/command/process.sourceSum=" + sum
		if r.repository != "" {
			text += " -X gosphere/internal/command/process.sourceURL=" + r.repository + "/releases/download/" + r.version
		}
	}
	return text
}
