package modules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"

	"gosphere/internal/beside"
	"gosphere/internal/filelock"
)

// downloads returns the folder in the module cache for the files of a module in the form that
// proxies serve. It is cache/download/PATH/@v. Upper-case letters are escaped, as in !google for
// Google, because file systems may ignore case.
//
// The layout is that of a file:// proxy, so a copy of the folder cache/download serves as one.
func (s *Set) downloads(path string) (string, error) {
	escaped, err := module.EscapePath(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.environment.Cache, "cache", "download", filepath.FromSlash(escaped), "@v"), nil
}

// file returns the name of the cached file of a module version with a suffix such as ".mod". For
// instance "cache/download/github.com/a/b/@v/v1.2.0.mod" below the cache.
func (s *Set) file(m module.Version, suffix string) (string, error) {
	dir, err := s.downloads(m.Path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, version+suffix), nil
}

// unpacked returns the folder for the source of a module version, such as github.com/a/b@v1.2.0
// below the cache.
func (s *Set) unpacked(m module.Version) (string, error) {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.environment.Cache, filepath.FromSlash(path)+"@"+version), nil
}

// write writes a file of the cache atomically. The temporary file is in the same folder, so that
// renaming does not cross file systems. A process that is killed leaves it, and no other process
// reads it.
//
// Processes that write the same file write the same content, whose checksum has been verified, so
// it does not matter which rename is last.
func write(name string, fill func(io.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := beside.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	err = fill(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// modFile returns the go.mod file of a module version and verifies its checksum. A file in the
// cache is verified too: the checksums that bind this session may be others than those with which
// it was downloaded.
//
// The file is verified before it is written, so that a wrong download is tried again and not kept.
func (s *Set) modFile(ctx context.Context, m module.Version) ([]byte, error) {
	name, err := s.file(m, ".mod")
	if err != nil {
		return nil, err
	}
	if data, err := os.ReadFile(name); err == nil {
		return data, s.checkMod(ctx, m, data)
	}
	s.report(fmt.Sprintf("reading go.mod of %s", m))
	var data []byte
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return nil, err
	}
	err = s.try(m.Path, func(from source) (err error) {
		data, err = from.text(ctx, m.Path, version+".mod")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m, err)
	}
	if err := s.checkMod(ctx, m, data); err != nil {
		return nil, err
	}
	return data, write(name, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// checkMod verifies the checksum of a go.mod file. A go.sum has an entry of its own for it, with
// the version followed by /go.mod, because selection reads the go.mod files of many modules whose
// source is never needed.
//
// The hash is not that of the file itself but of a list with one entry, named go.mod (Hash1).
func (s *Set) checkMod(ctx context.Context, m module.Version, data []byte) error {
	sum, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(string(data))), nil
	})
	if err != nil {
		return err
	}
	return s.sums.check(ctx, module.Version{Path: m.Path, Version: m.Version + "/go.mod"}, sum)
}

// folder returns the folder with the source of a module version, which it downloads if necessary.
// The check before the lock serves the usual case, in which the module is there. Only verified
// archives are unpacked.
//
// After the lock has been acquired, completeness is checked once more, because another process may
// have unpacked the module in the meantime.
func (s *Set) folder(ctx context.Context, m module.Version) (string, error) {
	dir, err := s.unpacked(m)
	if err != nil {
		return "", err
	}
	if s.isComplete(m, dir) {
		return dir, s.checkUnpacked(ctx, m)
	}
	release, err := s.lock(ctx, m)
	if err != nil {
		return "", err
	}
	defer release()
	if s.isComplete(m, dir) { // another process was faster
		return dir, s.checkUnpacked(ctx, m)
	}
	zipFile, err := s.zipFile(ctx, m)
	if err != nil {
		return "", err
	}
	s.report(fmt.Sprintf("unpacking %s", m))
	return dir, unpack(dir, m, zipFile)
}

// isComplete reports whether the folder of a module version exists and is complete. While the go
// command unpacks a module, there is a file with the suffix .partial.
func (s *Set) isComplete(m module.Version, dir string) bool {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return false
	}
	partial, err := s.file(m, ".partial")
	if err != nil {
		return false
	}
	_, err = os.Stat(partial)
	return errors.Is(err, fs.ErrNotExist)
}

// checkUnpacked verifies the checksum that was recorded when a module was downloaded. The folder
// itself is not hashed again: that would take seconds for large modules, and its files are
// read-only.
func (s *Set) checkUnpacked(ctx context.Context, m module.Version) error {
	name, err := s.file(m, ".ziphash")
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%s is in the module cache without its checksum (%s); remove its folder there", m, filepath.Base(name))
	}
	return s.sums.check(ctx, m, strings.TrimSpace(string(sum)))
}

// zipFile returns the name of the zip file of a module version. It downloads the file if necessary
// and verifies it. The caller holds the lock of the module version.
func (s *Set) zipFile(ctx context.Context, m module.Version) (string, error) {
	name, err := s.file(m, ".zip")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(name); err == nil {
		return name, s.checkZip(ctx, m, name)
	}
	s.report(fmt.Sprintf("downloading %s", m))
	fresh := name + ".tmp-download"
	err = write(fresh, func(w io.Writer) error {
		return s.try(m.Path, func(from source) error {
			if f, ok := w.(*os.File); ok { // discards output of a source that failed
				if err := f.Truncate(0); err != nil {
					return err
				}
				if _, err := f.Seek(0, io.SeekStart); err != nil {
					return err
				}
			}
			return from.zip(ctx, m, w)
		})
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", m, err)
	}
	if err := s.checkZip(ctx, m, fresh); err != nil {
		_ = os.Remove(fresh)
		return "", err
	}
	if err := os.Rename(fresh, name); err != nil {
		_ = os.Remove(fresh)
		return "", err
	}
	return name, nil
}

// checkZip verifies the checksum of a zip file, and records it next to the file as the go command
// does. The file .ziphash has the result, so that later processes need not read the archive.
//
// The checksum covers the names and contents of the files in the archive, and not the bytes of the
// archive, which may be compressed in another way.
func (s *Set) checkZip(ctx context.Context, m module.Version, name string) error {
	sum, err := dirhash.HashZip(name, dirhash.DefaultHash)
	if err != nil {
		return fmt.Errorf("%s: %w", m, err)
	}
	if err := s.sums.check(ctx, m, sum); err != nil {
		return err
	}
	note, err := s.file(m, ".ziphash")
	if err != nil {
		return err
	}
	return write(note, func(w io.Writer) error { _, err := io.WriteString(w, sum); return err })
}

// unpack unpacks a zip file to a temporary folder and then renames the folder to dir, so that dir
// is never incomplete. Package zip rejects names outside the folder and files that are too large.
//
// A folder that is being replaced cannot be one that is in use: it was incomplete.
func unpack(dir string, m module.Version, zipFile string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".tmp-")
	if err != nil {
		return err
	}
	if err := modzip.Unzip(fresh, m, zipFile); err != nil {
		removeAll(fresh)
		return err
	}
	if err := os.RemoveAll(dir); err != nil { // an incomplete folder left by the go command
		removeAll(dir)
	}
	if err := os.Rename(fresh, dir); err != nil {
		removeAll(fresh)
		return err
	}
	return makeReadOnly(dir)
}

// makeReadOnly removes the write permission from a folder, as the go command does. Inner folders
// come first, since an outer one without the permission could not be entered.
//
// Programs that edit a file of the cache by accident get an error, and checksums of the source stay
// true.
func makeReadOnly(dir string) error {
	var folders []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			folders = append(folders, path)
		}
		return err
	})
	for i := len(folders) - 1; i >= 0 && err == nil; i-- {
		err = os.Chmod(folders[i], 0o555)
	}
	return err
}

// removeAll removes a folder that may be read-only.
func removeAll(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o777)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// lock prevents other processes from unpacking the same module version at the same time. It waits
// for them. It polls, because a blocking lock of a file could not be interrupted. The lock ends
// with the process, so a crash leaves none.
//
// The file remains after the lock is released. Removing it would let two processes lock two
// different files of the same name.
func (s *Set) lock(ctx context.Context, m module.Version) (release func(), err error) {
	name, err := s.file(m, ".lock")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		held, err := filelock.TryLock(f)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if held {
			return func() { filelock.Unlock(f); f.Close() }, nil
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// An info is the content of a .info file. A proxy returns it for a query, and the version in it is
// the one that the query denotes. For instance {"Version":"v1.2.0","Time":"2024-05-01T12:00:00Z"}.
type info struct {
	Version string
	Time    time.Time
}

// parseInfo decodes a .info file.
//
// An answer of a proxy is not verified by a checksum. The version in it is only a proposal: its
// source is verified when it is downloaded.
func parseInfo(data []byte) (info, error) {
	var i info
	if err := json.Unmarshal(data, &i); err != nil {
		return i, fmt.Errorf("the proxy gives no version: %w", err)
	}
	if i.Version == "" {
		return i, errors.New("the proxy gives an empty version")
	}
	return i, nil
}
