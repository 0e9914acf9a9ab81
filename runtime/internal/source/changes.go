package source

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"gosphere/internal/userfile"
)

// A stamp describes a version of a file. It changes when the file is edited. Contents are not read:
// an edit changes the time.
type stamp struct {
	name     string
	size     int64
	modified time.Time
}

// stamps returns the stamps of the non-test Go files in a folder, and of the embedded files. Files
// that cannot be read have no stamp, which counts as a change. If the system fails, the stamps are
// nil: nothing is known.
//
// The list has the order of the folder, which does not matter: Changed searches it by content.
func stamps(dir string, embedded []string) []stamp {
	entries, err := os.ReadDir(dir)
	if userfile.IsSystem(err) {
		return nil
	}
	list, known := []stamp{}, true
	note := func(name string, info os.FileInfo, err error) {
		known = known && !userfile.IsSystem(err)
		if err == nil {
			list = append(list, stamp{name, info.Size(), info.ModTime()})
		}
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".go" && !isTest(e.Name()) && !e.IsDir() {
			info, err := e.Info()
			note(e.Name(), info, err)
		}
	}
	for _, name := range embedded {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		note(name, info, err)
	}
	if !known {
		return nil
	}
	return list
}

// Changed returns the name of a file that has been edited, added or removed since the package was
// read, or "". Packages in the module cache never change. It is called before a cell is compiled,
// so it must be cheap: one ReadDir and one Stat per file. A package main is not checked, since it
// runs once.
//
// A change of the time without one of the content counts, too: it costs a reload and nothing else.
func (p *Package) Changed() string {
	if !p.Local || p.program {
		return ""
	}
	now := p.stampsNow()
	if p.stamps == nil {
		p.stamps = now // the system failed when the package was read
	}
	if now == nil {
		return ""
	}
	for _, s := range now {
		if !slices.Contains(p.stamps, s) {
			return s.name
		}
	}
	for _, s := range p.stamps {
		if !slices.ContainsFunc(now, func(other stamp) bool { return other.name == s.name }) {
			return s.name
		}
	}
	return ""
}

// stampsNow returns the current stamps of the package's files. A package made from a notebook
// depends on that file only.
func (p *Package) stampsNow() []stamp {
	if p.file == "" {
		return stamps(p.Dir, p.embeddedNames())
	}
	info, err := os.Stat(p.file)
	if userfile.IsSystem(err) {
		return nil
	}
	if err != nil {
		return []stamp{}
	}
	return []stamp{{filepath.Base(p.file), info.Size(), info.ModTime()}}
}

// embeddedNames returns the files of the package that go:embed directives name. Without them an
// edit of an embedded file would not be seen.
func (p *Package) embeddedNames() (list []string) {
	for _, e := range p.Embeds {
		list = append(list, e.Names()...)
	}
	return list
}

// Reaches reports whether the package is in a list, or imports one of the list directly or
// indirectly. The imports have no cycles, so the search ends.
func (p *Package) Reaches(others []*Package) bool {
	return slices.Contains(others, p) || slices.ContainsFunc(p.Imports, func(i *Package) bool { return i.Reaches(others) })
}
