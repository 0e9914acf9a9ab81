package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// An entry is one file of an archive.
type entry struct {
	name    string
	content []byte
	mode    fs.FileMode
}

// stem returns the file name for a platform without extension.
func (r *release) stem(t target) string {
	return fmt.Sprintf("gosphere_%s_%s_%s", strings.TrimPrefix(r.version, "v"), t.os, t.arch)
}

func (r *release) archiveName(t target) string {
	if t.os == "windows" {
		return r.stem(t) + ".zip"
	}
	return r.stem(t) + ".tar.gz"
}

// archive returns the archive of a platform: the program, the license, the NOTICE file, README and
// changelog.
func (r *release) archive(t target, program []byte) ([]byte, error) {
	entries := []entry{{t.program(), program, 0o755}}
	for _, name := range []string{"LICENSE", "install/licenses/NOTICE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{filepath.Base(name), text, 0o644})
	}
	if t.os == "windows" {
		return zipped(entries, r.time)
	}
	return tarred(entries, r.time)
}

// tarred returns a gzip-compressed tar file.
func tarred(entries []entry, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	compressor, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(compressor)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Mode: int64(e.mode.Perm()), Size: int64(len(e.content)), ModTime: when, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := compressor.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// zipped returns a zip file with Unix permissions, which pip and uv read from wheels.
func zipped(entries []entry, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: when}
		header.SetMode(e.mode)
		file, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := file.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
