package modules

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// noteOf returns a warning if the authors of a module have retracted a version or deprecated the
// module, and "" otherwise. The go.mod of the latest version contains this information. For a
// version that has been downloaded before, only the module cache is consulted. A retraction is in a
// version later than the retracted one, often in a version that retracts itself.
//
// The note is a service, so every failure results in none: a version can be used even if the latest
// one cannot be read.
func (s *Set) noteOf(ctx context.Context, m module.Version) string {
	newest := s.newestCached(m.Path)
	// A module that is already here would otherwise need the network at each start of a session.
	if !s.isCached(m) {
		if latest, err := s.query(ctx, m.Path, "latest"); err == nil {
			newest = latest
		}
	}
	// The version itself may be the latest, or a pre-release after it.
	if newest == "" || semver.Compare(newest, m.Version) < 0 {
		newest = m.Version
	}
	data, err := s.modFile(ctx, module.Version{Path: m.Path, Version: newest})
	if err != nil {
		return ""
	}
	f, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil {
		return ""
	}
	var notes []string
	if f.Module != nil && f.Module.Deprecated != "" {
		notes = append(notes, "is deprecated: "+f.Module.Deprecated)
	}
	for _, r := range f.Retract {
		if semver.Compare(r.Low, m.Version) <= 0 && semver.Compare(m.Version, r.High) <= 0 {
			text := "was retracted by its authors"
			if r.Rationale != "" {
				text += ": " + r.Rationale
			}
			notes = append(notes, text)
		}
	}
	if notes == nil {
		return ""
	}
	return fmt.Sprintf("%s %s %s", m.Path, m.Version, strings.ReplaceAll(strings.Join(notes, "; "), "\n", " "))
}

// Selected returns the selected version of a module. It returns "" if no module requires it, or if
// versions have not been selected yet. It does not use the network.
func (s *Set) Selected(path string) string {
	defer s.enter(context.Background(), nil)()
	if v := s.selected[path]; v != "" {
		return v
	}
	for _, m := range s.main.requires {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}
