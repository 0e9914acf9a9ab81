package modules

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb"
)

// A sums holds the checksums of modules: those of a go.sum, those stored by a notebook, and those
// of the checksum database.
//
// It has its own lock, because the client of the database may call back from other goroutines.
type sums struct {
	set *Set

	mu     sync.Mutex
	fixed  map[module.Version]string // required checksums
	found  map[module.Version]string // checksums that have been verified
	client *sumdb.Client
}

// A MismatchError reports that the content of a module differs from what its checksum requires.
type MismatchError struct {
	Module      module.Version
	Got, Want   string
	Description string // origin of Want
}

// Error returns the module and both checksums.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("checksum mismatch for %s: the download has %s, %s has %s; the module was changed after it was published, or on the way", e.Module, e.Got, e.Description, e.Want)
}

// fix reads a go.sum file. Its checksums are binding from now on. Lines of another hash algorithm
// than h1, the only one in use, are ignored. Its lines are
//
//	github.com/a/b v1.2.0 h1:...            the source
//	github.com/a/b v1.2.0/go.mod h1:...     the go.mod alone
func (s *sums) fix(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 && strings.HasPrefix(f[2], "h1:") {
			s.fixed[module.Version{Path: f[0], Version: f[1]}] = f[2]
		}
	}
}

// check verifies the checksum of a module. If it covers only the go.mod file, the version ends in
// /go.mod. A checksum that is fixed needs no database, as in the go command. A module without a
// fixed checksum that is private, by GOPRIVATE or GONOSUMDB, is trusted at the first use.
//
// A fixed checksum takes precedence over the database for two reasons: a private module is not in
// the database, and a notebook must fail if its module was replaced, even with the database's
// consent.
func (s *sums) check(ctx context.Context, m module.Version, sum string) error {
	s.mu.Lock()
	done := s.found[m] == sum
	want, known := s.fixed[m]
	s.mu.Unlock()
	switch {
	// It was verified earlier in this session.
	case done:
		return nil
	case known && want != sum:
		return &MismatchError{m, sum, want, "go.sum"}
	case !known && s.set.environment.checksPublic(m.Path):
		if err := s.ask(ctx, m, sum); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found[m] = sum
	return nil
}

// lines returns the verified checksums in the form of a go.sum file. They include modules whose
// go.mod alone was read, as the go command requires.
func (s *sums) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, m := range slices.SortedFunc(maps.Keys(s.found), compareVersions) {
		list = append(list, m.Path+" "+m.Version+" "+s.found[m])
	}
	return list
}

// ask verifies a checksum with the checksum database. Modules in the module cache were verified
// when they were added, so for these it is not an error if the database cannot be reached. An error
// of security, such as a tree that contradicts an earlier one, is never tolerated.
//
// Tolerating a database that cannot be reached lets sessions work without a network. It weakens
// nothing, since the cached module has been verified before.
func (s *sums) ask(ctx context.Context, m module.Version, sum string) error {
	client, err := s.database(ctx)
	if err != nil {
		return err
	}
	lines, err := client.Lookup(m.Path, m.Version)
	if err != nil {
		if s.set.isCached(m) && !errors.Is(err, sumdb.ErrSecurity) {
			return nil
		}
		return fmt.Errorf("%s: asking the checksum database %s: %w (for modules that are not public, set GOPRIVATE)", m, databaseName(s.set.environment.SumDB), shorter(err))
	}
	for _, line := range lines {
		if f := strings.Fields(line); len(f) == 3 && f[0] == m.Path && f[1] == m.Version && strings.HasPrefix(f[2], "h1:") {
			if f[2] != sum {
				return &MismatchError{m, sum, f[2], "the checksum database"}
			}
			return nil
		}
	}
	return fmt.Errorf("%s: the checksum database has no sum of it", m)
}

// database returns the client of the checksum database.
//
// The client is made at the first use. It keeps the tree that it has verified for all later lookups
// of the session.
func (s *sums) database(ctx context.Context) (*sumdb.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		ops, err := newDatabase(s.set)
		if err != nil {
			return nil, err
		}
		s.client = sumdb.NewClient(ops)
	}
	return s.client, ctx.Err()
}

// publicKeys maps the names of databases that GOSUMDB may specify without a key to their keys.
// sum.golang.google.cn is the same database as sum.golang.org.
var publicKeys = map[string]string{
	"sum.golang.org": "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8",
}

// A database implements sumdb.ClientOps: it reads a checksum database over the network and stores
// files in the same places as the go command. The client verifies that the answers belong to a
// signed, append-only tree (go.dev/design/25530-sumdb), so the server and a proxy in between need
// not be trusted.
//
// The sharing of files with the go command has a purpose beyond saving requests: the latest tree
// that either has seen protects both against a server that shows different trees to different
// clients.
type database struct {
	set       *Set
	name, key string
	url       string // "" until it is known
	found     sync.Once
	lock      sync.Mutex // guards the file with the latest tree
}

// databaseName returns the name in a setting such as "NAME+HASH+KEY URL".
func databaseName(setting string) string {
	name, _, _ := strings.Cut(strings.Fields(setting + " ")[0], "+")
	return name
}

// newDatabase returns the database that GOSUMDB specifies.
func newDatabase(set *Set) (*database, error) {
	fields := strings.Fields(set.environment.SumDB)
	if len(fields) == 0 || len(fields) > 2 {
		return nil, fmt.Errorf("GOSUMDB=%q: want a name, a key, or a key and a URL", set.environment.SumDB)
	}
	d := &database{set: set, name: databaseName(fields[0]), key: fields[0]}
	if d.name == "sum.golang.google.cn" {
		d.name, d.key, d.url = "sum.golang.org", "sum.golang.org", "https://sum.golang.google.cn"
	}
	if !strings.Contains(d.key, "+") {
		if d.key = publicKeys[d.name]; d.key == "" {
			return nil, fmt.Errorf("GOSUMDB=%q: the key of this database is not known; write it after the name", set.environment.SumDB)
		}
	}
	if len(fields) == 2 {
		d.url = strings.TrimRight(fields[1], "/")
	}
	return d, nil
}

// find chooses a proxy that also serves the database, or else the database itself. A proxy has the
// advantage that it may be reachable where the database is not.
//
// A proxy announces with the path supported that it forwards requests to the database
// (go.dev/design/25530-sumdb, section "Proxying a checksum database").
func (d *database) find() {
	if d.url != "" {
		return
	}
	for _, entry := range d.set.environment.proxies("") {
		if !strings.HasPrefix(entry.url, "http") {
			continue
		}
		p := &proxy{base: entry.url + "/sumdb/" + d.name, client: d.set.client, netrc: d.set.environment.Netrc}
		if p.get(d.set.context(), "supported", io.Discard, mostText) == nil {
			d.url = p.base
			return
		}
	}
	d.url = "https://" + d.name
}

// ReadRemote reads from the database.
func (d *database) ReadRemote(path string) ([]byte, error) {
	d.found.Do(d.find)
	var b bytes.Buffer
	p := &proxy{base: d.url, client: d.set.client, netrc: d.set.environment.Netrc}
	err := p.get(d.set.context(), strings.TrimPrefix(path, "/"), &b, mostText)
	return b.Bytes(), err
}

// ReadConfig returns the key, or the latest tree seen. The latest tree is what makes the tree
// append-only across sessions.
func (d *database) ReadConfig(file string) ([]byte, error) {
	if file == "key" {
		return []byte(d.key), nil
	}
	data, err := os.ReadFile(filepath.Join(d.set.environment.GoSumsDir, filepath.FromSlash(file)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// WriteConfig stores the latest tree unless another process has changed it. After ErrWriteConflict
// the client merges the trees and tries again.
func (d *database) WriteConfig(file string, old, fresh []byte) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	now, err := d.ReadConfig(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, old) {
		return sumdb.ErrWriteConflict
	}
	name := filepath.Join(d.set.environment.GoSumsDir, filepath.FromSlash(file))
	return write(name, func(w io.Writer) error { _, err := w.Write(fresh); return err })
}

// ReadCache reads a part of the database from the cache.
//
// The tiles of the tree are immutable, so a cached one is never outdated. The client verifies them
// like fresh ones.
func (d *database) ReadCache(file string) ([]byte, error) {
	return os.ReadFile(filepath.Join(d.set.environment.Cache, "cache", "download", "sumdb", filepath.FromSlash(file)))
}

// WriteCache stores a part of the database in the cache. A failure only means that the part must be
// read again.
func (d *database) WriteCache(file string, data []byte) {
	name := filepath.Join(d.set.environment.Cache, "cache", "download", "sumdb", filepath.FromSlash(file))
	_ = write(name, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// Log ignores progress messages of the client.
func (d *database) Log(string) {}

// SecurityError reports a message. The lookup then returns an error.
func (d *database) SecurityError(message string) { d.set.report(message) }
