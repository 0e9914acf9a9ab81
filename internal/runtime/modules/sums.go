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

// A sums knows the checksums of modules: those of a go.sum, those that a notebook has stored, and those
// of the checksum database.
type sums struct {
	set *Set

	mu     sync.Mutex
	fixed  map[module.Version]string // must be what is found
	found  map[module.Version]string // have been compared
	client *sumdb.Client
}

// A MismatchError says that a module is not what it was.
type MismatchError struct {
	Module      module.Version
	Got, Want   string
	Description string // of where Want comes from
}

// Error names the module and both sums.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("checksum mismatch for %s: the download has %s, %s has %s; the module was changed after it was published, or on the way", e.Module, e.Got, e.Description, e.Want)
}

// fix reads a go.sum file. Modules must have its sums from now on.
func (s *sums) fix(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 && strings.HasPrefix(f[2], "h1:") {
			s.fixed[module.Version{Path: f[0], Version: f[1]}] = f[2]
		}
	}
}

// check compares the sum of a module with what is known. The version ends in /go.mod for the go.mod
// file alone.
func (s *sums) check(ctx context.Context, m module.Version, sum string) error {
	s.mu.Lock()
	done := s.found[m] == sum
	want, known := s.fixed[m]
	s.mu.Unlock()
	switch {
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

// lines returns what was compared, in the form of a go.sum file.
func (s *sums) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, m := range slices.SortedFunc(maps.Keys(s.found), compareVersions) {
		list = append(list, m.Path+" "+m.Version+" "+s.found[m])
	}
	return list
}

// ask compares a sum with the checksum database. What is in the module cache was compared when it came
// there, so a database that cannot be reached is no error for it.
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

// publicKeys are the keys of databases that GOSUMDB may name without a key; sum.golang.google.cn is the
// same database.
var publicKeys = map[string]string{
	"sum.golang.org": "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8",
}

// A database serves the client of a checksum database: it reads over the network and keeps files where
// the go command does.
type database struct {
	set       *Set
	name, key string
	url       string // "" until it is known
	found     sync.Once
	lock      sync.Mutex // for the file with the newest tree
}

func databaseName(setting string) string {
	name, _, _ := strings.Cut(strings.Fields(setting + " ")[0], "+")
	return name
}

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
			return nil, fmt.Errorf("GOSUMDB=%q: the key of this database is not known; write it behind the name", set.environment.SumDB)
		}
	}
	if len(fields) == 2 {
		d.url = strings.TrimRight(fields[1], "/")
	}
	return d, nil
}

// find chooses the proxy that also serves the database, or the database itself.
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

// ReadConfig reads the key, or the newest tree that was seen.
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

// WriteConfig stores the newest tree unless another process has.
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

// ReadCache reads a part of the database that was read before.
func (d *database) ReadCache(file string) ([]byte, error) {
	return os.ReadFile(filepath.Join(d.set.environment.Cache, "cache", "download", "sumdb", filepath.FromSlash(file)))
}

// WriteCache keeps a part of the database. A failure costs reading it again.
func (d *database) WriteCache(file string, data []byte) {
	name := filepath.Join(d.set.environment.Cache, "cache", "download", "sumdb", filepath.FromSlash(file))
	_ = write(name, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// Log reports progress of the client.
func (d *database) Log(string) {}

// SecurityError is followed by an error of the lookup.
func (d *database) SecurityError(message string) { d.set.report(message) }
