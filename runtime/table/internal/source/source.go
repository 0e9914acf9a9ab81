// Package source opens the files and addresses that tables are read from: compressed ones, those in
// zip archives, and those of web servers.
package source

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"gosphere/internal/userfile"
)

// Most is the greatest number of bytes of a download, of the content of a compressed file, and of a
// file that is read as a whole. Tests change it.
var Most int64 = 8 << 30

// A Source is an open file or the answer of a server.
type Source struct {
	// Format is the extension without that of the compression, in lower case, such as .csv.
	Format string
	// Reader has the content.
	io.Reader
	file    *os.File // if the content is that of a file as it is
	closers []func() error
}

// Close closes the files and connections.
func (s *Source) Close() (err error) {
	for _, c := range slices.Backward(s.closers) {
		err = errors.Join(err, c())
	}
	return err
}

// At returns the content for reading at any place, and its size. Content that is not that of a file
// as it is comes into memory.
func (s *Source) At() (io.ReaderAt, int64, error) {
	if s.file != nil {
		info, err := s.file.Stat()
		if err != nil {
			return nil, 0, err
		}
		return s.file, info.Size(), nil
	}
	content, err := io.ReadAll(s.Reader) // limited, because it is compressed or a download
	if err != nil {
		return nil, 0, err
	}
	return bytes.NewReader(content), int64(len(content)), nil
}

// IsAddress reports whether a name is one of a web server.
func IsAddress(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// Expand returns the files that a name stands for: those of a folder with one of the extensions,
// those that match a pattern such as data/*.csv, in the order of their names, or the name itself.
func Expand(name string, known func(format string) bool) ([]string, error) {
	if IsAddress(name) {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, entry := range entries {
			if format, _ := formatOf(entry.Name()); known(format) && !entry.IsDir() {
				names = append(names, filepath.Join(name, entry.Name()))
			}
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("the folder %s has no files of tables", name)
		}
		return names, nil
	}
	if err != nil && strings.ContainsAny(name, "*?[") {
		names, err := filepath.Glob(name)
		if err != nil {
			return nil, fmt.Errorf("the pattern %s: %w", name, err)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("no file matches %s", name)
		}
		return names, nil
	}
	return []string{name}, nil
}

// formatOf returns the extension of a name without that of its compression, and that one, which may
// be "".
func formatOf(name string) (format, compression string) {
	format = strings.ToLower(path.Ext(filepath.ToSlash(name)))
	if format == ".gz" || format == ".zst" || format == ".zip" {
		compression = format
		format = strings.ToLower(path.Ext(filepath.ToSlash(name[:len(name)-len(format)])))
	}
	return format, compression
}

// Open opens a file, the only file of a zip archive, a file of one as in data.zip/sales.csv, or an
// address.
func Open(name string) (*Source, error) {
	if IsAddress(name) {
		return fetch(name)
	}
	archive, inner, _ := strings.Cut(filepath.ToSlash(name), ".zip/")
	if inner != "" {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) || err != nil {
			return unzip(archive+".zip", inner)
		}
	}
	format, compression := formatOf(name)
	if compression == ".zip" {
		return unzip(name, "")
	}
	file, err := userfile.Open(name)
	if err != nil {
		return nil, err
	}
	s := &Source{Format: format, Reader: file, file: file, closers: []func() error{file.Close}}
	return s.decompress(compression)
}

// decompress makes the content that of a compressed one.
func (s *Source) decompress(compression string) (*Source, error) {
	switch compression {
	case ".gz":
		r, err := gzip.NewReader(bufio.NewReader(s.Reader))
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.Reader, s.file, s.closers = limited(r), nil, append(s.closers, r.Close)
	case ".zst":
		r, err := zstd.NewReader(s.Reader, zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.Reader, s.file, s.closers = limited(r), nil, append(s.closers, func() error { r.Close(); return nil })
	}
	return s, nil
}

// limited returns a reader that fails after Most bytes.
func limited(r io.Reader) io.Reader { return &limit{r, Most, Most} }

type limit struct {
	io.Reader
	left, most int64
}

// Whole returns an error if the content is that of a file that has too many bytes to be read as a
// whole. Compressed content and downloads return it while they are read.
func (s *Source) Whole() error {
	if s.file == nil {
		return nil
	}
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > Most {
		return fmt.Errorf("the file has %d bytes, and a table has at most %d: read it in batches, with package gosphere/runtime/table/stream", info.Size(), Most)
	}
	return nil
}

func (l *limit) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("the content has more than %d bytes", l.most)
	}
	return n, err
}

// unzip opens a file of a zip archive, the only one without a name.
func unzip(name, inner string) (*Source, error) {
	file, err := userfile.Open(name)
	if err != nil {
		return nil, err
	}
	s := &Source{closers: []func() error{file.Close}}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s.unzip(file, info.Size(), inner)
}

func (s *Source) unzip(r io.ReaderAt, size int64, inner string) (*Source, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	var names []string
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, "/") && !strings.HasPrefix(f.Name, "__MACOSX/") {
			names = append(names, f.Name)
		}
	}
	if inner == "" && len(names) != 1 {
		more := ""
		if len(names) > 5 {
			more = fmt.Sprintf(" and %d more", len(names)-5)
		}
		return nil, errors.Join(fmt.Errorf("the archive has %d files: %q%s; name one after the archive, as in a.zip/b.csv", len(names), names[:min(5, len(names))], more), s.Close())
	}
	if inner == "" {
		inner = names[0]
	}
	f, err := archive.Open(inner)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.closers = append(s.closers, f.Close)
	var compression string
	s.Format, compression = formatOf(inner)
	s.Reader = limited(f)
	return s.decompress(compression)
}

// formats are the extensions of content types.
var formats = map[string]string{
	"text/csv": ".csv", "application/csv": ".csv", "text/tab-separated-values": ".tsv", "application/json": ".json", "application/x-ndjson": ".jsonl",
	"application/jsonl": ".jsonl", "application/vnd.apache.parquet": ".parquet", "application/vnd.apache.arrow.file": ".arrow",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
}

// fetch requests an address. The path has the format, else the type of the answer.
func fetch(address string) (*Source, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	client := &http.Client{Transport: transport, CheckRedirect: func(to *http.Request, via []*http.Request) error {
		switch {
		case len(via) >= 10:
			return errors.New("10 redirections")
		case via[0].URL.Scheme == "https" && to.URL.Scheme != "https":
			return fmt.Errorf("a redirection from https to %s", to.URL.Scheme)
		}
		return nil
	}}
	answer, err := client.Get(address)
	if err != nil {
		return nil, err
	}
	s := &Source{Reader: limited(answer.Body), closers: []func() error{answer.Body.Close}}
	if answer.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("the server answers %s", answer.Status), s.Close())
	}
	format, compression := formatOf(parsed.Path)
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err == nil && formats[kind] != "" && (format == "" || !strings.HasPrefix(format, ".")) {
		format = formats[kind]
	}
	s.Format = format
	if compression == ".zip" {
		r, size, err := s.At()
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return s.unzip(r, size, "")
	}
	return s.decompress(compression)
}
