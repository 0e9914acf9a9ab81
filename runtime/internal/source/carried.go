package source

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// A Carried is a package whose source a program carries, because compiled code has no instances of
// its generic functions for the types of cells.
type Carried struct {
	Path, Name      string
	Module, Version string // the module of the package
	Sum             string // of the module, h1:...; "" for a local folder
	GoVersion       string // language version of the module, such as "go1.21"
	// Files has the contents of the Go files without tests, and of the files that these embed, by
	// slash-separated names relative to the folder of the package.
	Files map[string][]byte `json:"-"`
}

// IsInternal reports whether cells cannot import the package.
func (p Carried) IsInternal() bool { return !mayImport(p.Path, "", false) }

// contents is the name of the list of packages in an archive. No import path ends like it.
const contents = "packages.json"

// Pack returns an archive of packages. It depends on nothing but the packages. The archive of no
// packages is empty.
func Pack(list []Carried) ([]byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(name string, data []byte) error {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	index, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	if err := add(contents, index); err != nil {
		return nil, err
	}
	for _, p := range list {
		for _, name := range slices.Sorted(maps.Keys(p.Files)) {
			if err := add(p.Path+"/"+name, p.Files[name]); err != nil {
				return nil, err
			}
		}
	}
	err = w.Close()
	return b.Bytes(), err
}

// A Store finds packages in an archive that Pack has made. A nil Store has no packages.
type Store struct {
	files    fs.FS
	packages map[string]Carried
}

// OpenStore opens an archive.
//
// The archive is a string, because embedding makes one without a copy. Files are decompressed when
// a package is loaded.
func OpenStore(archive string) (*Store, error) {
	s := &Store{packages: map[string]Carried{}}
	if archive == "" {
		return s, nil
	}
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("archive of source: %w", err)
	}
	index, err := fs.ReadFile(r, contents)
	if err != nil {
		return nil, fmt.Errorf("archive of source: %w", err)
	}
	var list []Carried
	if err := json.Unmarshal(index, &list); err != nil {
		return nil, fmt.Errorf("archive of source: %w", err)
	}
	for _, p := range list {
		if !fs.ValidPath(p.Path) {
			return nil, errors.New("archive of source: invalid import path " + p.Path)
		}
		s.packages[p.Path] = p
	}
	s.files = r
	return s, nil
}

// Find returns a package and its place.
func (s *Store) Find(path string) (p Carried, place Place, ok bool) {
	if s == nil {
		return Carried{}, Place{}, false
	}
	if p, ok = s.packages[path]; !ok {
		return Carried{}, Place{}, false
	}
	files, err := fs.Sub(s.files, path)
	return p, Place{Tree: files, GoVersion: p.GoVersion}, err == nil
}

// Packages returns the packages, sorted by import path.
func (s *Store) Packages() []Carried {
	if s == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(s.packages), func(a, b Carried) int { return strings.Compare(a.Path, b.Path) })
}
