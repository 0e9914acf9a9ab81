package process

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A release build sets both with -ldflags "-X": the SHA-256 sum of the archive of its own source,
// in hexadecimal, and the URL of the folder from which the archive can be downloaded.
var sourceSum, sourceURL string

// A Source locates the source of gosphere: a folder, or an archive of one.
type Source struct {
	Folder  string
	Archive string // a file; "" for a folder and for what is downloaded
	URL     string // of the archive
	Sum     string // the SHA-256 sum that the archive must have; "" for none
}

// String returns the folder, the file or the URL.
func (s Source) String() string { return cmp.Or(s.Folder, s.Archive, s.URL) }

// ArchiveName returns the name of the archive with the source of this release.
func ArchiveName() string { return "gosphere_" + Release() + "_source.tar.gz" }

// FindSource returns the source of gosphere: named if it is not empty, else the current folder, the
// folder of the executable or its parent. A released program falls back to the archive of its
// release: a file beside the executable or in the user's cache, or the URL of a download.
func FindSource(named string, executable func() (string, error)) (Source, error) {
	if named != "" {
		if info, err := os.Stat(named); err == nil && info.Mode().IsRegular() {
			return Source{Archive: named}, nil
		}
		if !isSource(named) {
			return Source{}, fmt.Errorf("--source %s: want the source of gosphere, a folder or archive with a go.mod that contains the line \"module gosphere\"", named)
		}
		return Source{Folder: named}, nil
	}
	var folders []string
	if here, err := os.Getwd(); err == nil {
		folders = append(folders, here)
	}
	if program, err := executable(); err == nil {
		folders = append(folders, filepath.Dir(program), filepath.Dir(filepath.Dir(program)))
	}
	for _, folder := range folders {
		if isSource(folder) {
			return Source{Folder: folder}, nil
		}
	}
	const needs = "building needs the source of gosphere"
	if sourceSum == "" {
		return Source{}, errors.New(needs + ": run this in a clone, or name a folder or an archive with --source")
	}
	if cache, err := os.UserCacheDir(); err == nil {
		folders = append(folders, filepath.Join(cache, "gosphere"))
	}
	for _, folder := range folders {
		archive := filepath.Join(folder, ArchiveName())
		if info, err := os.Stat(archive); err == nil && info.Mode().IsRegular() {
			return Source{Archive: archive, Sum: sourceSum}, nil
		}
	}
	if sourceURL == "" {
		return Source{}, fmt.Errorf("%s: put %s of this release (SHA-256 %s) in the folder of the program, or name it with --source", needs, ArchiveName(), sourceSum)
	}
	return Source{URL: sourceURL + "/" + ArchiveName(), Sum: sourceSum}, nil
}

func isSource(folder string) bool {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	return err == nil && slices.Contains(strings.Split(strings.ReplaceAll(string(text), "\r", ""), "\n"), "module gosphere")
}

// Unpack extracts the archive into a folder, without the first element of the file names. It
// downloads the archive to the user's cache if it must, and verifies the checksum first.
func (s Source) Unpack(ctx context.Context, folder string) error {
	if s.Archive == "" {
		var err error
		if s.Archive, err = s.download(ctx); err != nil {
			return err
		}
	}
	if s.Sum != "" {
		if sum, err := fileSum(s.Archive); err != nil {
			return err
		} else if sum != s.Sum {
			return fmt.Errorf("%s: SHA-256 is %s, and the source of this release has %s", s.Archive, sum, s.Sum)
		}
	}
	file, err := os.Open(s.Archive)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := unpack(ctx, file, folder); err != nil {
		return fmt.Errorf("%s: %w", s.Archive, err)
	}
	if !isSource(folder) {
		return fmt.Errorf("%s: no source of gosphere: it has no go.mod that contains the line \"module gosphere\"", s.Archive)
	}
	return nil
}

// download fetches the archive into the user's cache and returns the file. An archive with another
// checksum is not kept.
func (s Source) download(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(cache, "gosphere")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return "", err
	}
	remedy := fmt.Sprintf("download it by other means (SHA-256 %s), and put it beside the program or name it with --source", s.Sum)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", fmt.Errorf("source of gosphere: %w; %s", err, remedy)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("source of gosphere: %s: %s; %s", s.URL, response.Status, remedy)
	}
	file, err := os.CreateTemp(folder, "source-*.tmp")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(file, hash), io.LimitReader(response.Body, maxSource))
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("source of gosphere: %s: %w", s.URL, err)
	}
	if sum := fmt.Sprintf("%x", hash.Sum(nil)); sum != s.Sum {
		return "", fmt.Errorf("source of gosphere: %s: SHA-256 is %s, and the source of this release has %s", s.URL, sum, s.Sum)
	}
	archive := filepath.Join(folder, ArchiveName())
	return archive, os.Rename(file.Name(), archive)
}

// maxSource is how many bytes an archive may have, and each of its files.
const maxSource = 1 << 30

func fileSum(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// unpack writes the regular files of a tar file compressed by gzip, without the first element of
// their names.
func unpack(ctx context.Context, from io.Reader, folder string) error {
	decompressor, err := gzip.NewReader(from)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for r := tar.NewReader(decompressor); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return errors.New("interrupted")
		}
		_, name, _ := strings.Cut(header.Name, "/")
		if header.Typeflag != tar.TypeReg || name == "" {
			continue
		}
		if !fs.ValidPath(name) || header.Size > maxSource {
			return fmt.Errorf("%q (%d bytes) is no file of an archive of source", header.Name, header.Size)
		}
		name = filepath.FromSlash(name)
		if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		file, err := root.Create(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(file, r)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
}
