package packages

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
)

// A Store provides the type information and documentation of an archive. It is a types.Importer.
// All methods may be called at any time from any goroutine. Data of a package is decoded at first
// use and cached.
type Store struct {
	goVersion string
	entries   map[string]*stored // not modified after Open

	// Drivers returns the drivers of database/sql in the program. It may be nil, and is set before
	// the store is used.
	Drivers func() []string
	named   map[string][]string

	// mu guards the fields below and, with imported, the scopes of incomplete packages: the export
	// data of a package contains the declarations of other packages that it mentions, whose scopes
	// are completed when those packages are imported. A package returned by Import is complete and
	// is not changed again, so type checkers read it without the lock.
	mu       sync.Mutex
	imported map[string]*types.Package
	failed   map[string]error
}

// A stored is one package of the archive. The last segment that describes it wins.
type stored struct {
	name        string
	types, docs part
	texts       func() map[string]string
}

// Open reads the indexes of the segments in some archives. Damage outside an index is detected when
// the package is imported.
func Open(archives ...string) (*Store, error) {
	s := &Store{
		entries:  map[string]*stored{},
		imported: map[string]*types.Package{"unsafe": types.Unsafe},
		failed:   map[string]error{},
	}
	for _, archive := range archives {
		for first := true; first || archive != ""; first = false {
			segment, rest, err := decodeSegment(archive)
			if err != nil {
				return nil, err
			}
			if s.goVersion != "" && segment.goVersion != s.goVersion {
				return nil, fmt.Errorf("packages: archive mixes %s and %s", s.goVersion, segment.goVersion)
			}
			s.goVersion = segment.goVersion
			for _, e := range segment.entries {
				s.add(e)
			}
			archive = rest
		}
	}
	s.named = s.byName()
	return s, nil
}

// add adds a package, or the parts of another entry to a package that is known. Its documentation
// is decoded once, at the first use, because many sessions never need it.
func (s *Store) add(e entry) {
	kept := s.entries[e.path]
	if kept == nil {
		kept = &stored{}
		kept.texts = sync.OnceValue(func() map[string]string {
			data, err := kept.docs.unpack()
			if err != nil {
				return nil
			}
			texts, err := decodeDocs(data)
			if err != nil {
				return nil // damaged text counts as missing: documentation is never needed to run
			}
			return texts
		})
		s.entries[e.path] = kept
	}
	kept.name = e.name
	if e.types.unpacked > 0 {
		kept.types = e.types
	}
	if e.docs.unpacked > 0 {
		kept.docs = e.docs
	}
}

// GoVersion returns the version of Go whose standard library the archive describes, such as
// "go1.26.8".
func (s *Store) GoVersion() string { return s.goVersion }

// Paths returns the import paths of all packages, sorted. It includes package unsafe if the archive
// documents it.
func (s *Store) Paths() []string {
	paths := make([]string, 0, len(s.entries))
	for _, path := range slices.Sorted(maps.Keys(s.entries)) {
		if s.has(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// has reports whether path can be imported on this platform. The archive may document packages of
// other platforms.
func (s *Store) has(path string) bool {
	e := s.entries[path]
	return e != nil && (e.types.unpacked > 0 || path == "unsafe")
}

// Import returns the package with the given path, always the same one. It returns an error for a
// path that is not in the archive and for damaged data.
func (s *Store) Import(path string) (*types.Package, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.imported[path]; p != nil && p.Complete() {
		return p, nil
	}
	if err := s.failed[path]; err != nil {
		return nil, err
	}
	if !s.has(path) {
		return nil, s.unknown(path)
	}
	p, err := s.read(path)
	if err != nil {
		// A second attempt would add to a partially filled scope.
		err = fmt.Errorf("packages: %s: %w", path, err)
		s.failed[path] = err
		return nil, err
	}
	return p, nil
}

// read decodes the types of path. The reader of gcexportdata trusts its input: fuzzed input
// overflows the stack, which cannot be recovered. The checksum is therefore compared first;
// remaining panics become errors.
func (s *Store) read(path string) (p *types.Package, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("export data is damaged: %v", r)
		}
	}()
	data, err := s.entries[path].types.unpack()
	if err != nil {
		return nil, err
	}
	// The data contains no positions, so the file set stays empty.
	return gcexportdata.Read(bytes.NewReader(data), token.NewFileSet(), s.imported, path)
}

// MayImport reports whether the types of a package may mention a package whose path begins with the
// given text. Unlike Import it decodes no declarations: export data contains the paths as they are.
func (s *Store) MayImport(path, begins string) bool {
	e := s.entries[path]
	if e == nil {
		return false
	}
	data, err := e.types.unpack()
	return err == nil && bytes.Contains(data, []byte(begins))
}

// Doc returns the documentation of a package (name ""), of a constant, variable, function or type
// ("Sqrt"), or of a method or field ("Buffer.Write"), as written in its comment. It returns "" if
// there is none.
func (s *Store) Doc(path, name string) string {
	if e := s.entries[path]; e != nil {
		return e.texts()[name]
	}
	return ""
}
