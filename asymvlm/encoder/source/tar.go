package source

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mostBytes is the largest accepted size of a tar member in bytes.
const mostBytes = 256 << 20

// openTar opens webdataset tar files for streaming. The members of a sample are consecutive and
// share their name up to the first dot, such as 000012.jpg, 000012.txt and 000012.json. The caption
// is the text, or the field "caption" of the JSON.
func openTar(pattern, split string) (*Source, error) {
	if split != "" {
		return nil, fmt.Errorf("webdataset has no splits: name the tar files of %q", split)
	}
	files, err := matching(pattern)
	if err != nil {
		return nil, err
	}
	return &Source{Count: -1, Files: files, items: func(yield func(Item, error) bool) {
		for _, file := range files {
			if !readTar(file, yield) {
				return
			}
		}
	}}, nil
}

// matching returns the file of that name, or the sorted files that match a pattern.
func matching(pattern string) ([]string, error) {
	files := []string{pattern}
	if !exists(pattern) {
		var err error
		if files, err = filepath.Glob(pattern); err != nil {
			return nil, fmt.Errorf("%q: %w", pattern, err)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no files %s", pattern)
	}
	slices.Sort(files)
	return files, nil
}

// A sample collects the members of one name.
type sample struct {
	key  string
	item Item
	text string
	json []byte
	err  error
}

// readTar yields the samples of one file. It reports whether the next file is wanted.
func readTar(name string, yield func(Item, error) bool) bool {
	file, err := os.Open(name)
	if err != nil {
		return yield(Item{Name: name}, err)
	}
	defer file.Close()
	var stream io.Reader = bufio.NewReaderSize(file, 1<<20)
	if magic, _ := stream.(*bufio.Reader).Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		if stream, err = gzip.NewReader(stream); err != nil {
			return yield(Item{Name: name}, err)
		}
	}
	archive := tar.NewReader(stream)
	current := &sample{}
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return current.end(name, yield)
		}
		if err != nil { // the position of the next member is unknown
			return current.end(name, yield) && yield(Item{Name: name}, fmt.Errorf("the rest of the tar file cannot be read: %w", err))
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		folder, base := path.Split(header.Name)
		stem, extension, _ := strings.Cut(base, ".")
		if key := folder + stem; key != current.key {
			if !current.end(name, yield) {
				return false
			}
			current = &sample{key: key}
		}
		current.add(archive, header, strings.ToLower(extension))
	}
}

// add adds a member to the sample.
func (s *sample) add(r io.Reader, header *tar.Header, extension string) {
	if header.Size > mostBytes {
		s.err = fmt.Errorf("%s has %d bytes, more than %d", header.Name, header.Size, mostBytes)
		return
	}
	data, err := io.ReadAll(r)
	if err != nil {
		s.err = errors.Join(s.err, err)
		return
	}
	switch {
	case isPicture("." + extension):
		s.item.data = data
	case extension == "txt":
		s.text = string(data)
	case extension == "json":
		s.json = data
	}
}

// end yields the sample, if there is one, and reports whether the next one is wanted.
func (s *sample) end(file string, yield func(Item, error) bool) bool {
	if s.key == "" {
		return true
	}
	s.item.Name = filepath.Base(file) + "/" + s.key
	caption := strings.TrimSpace(s.text)
	if caption == "" && s.json != nil {
		var described struct {
			Caption *string `json:"caption"`
		}
		if err := json.Unmarshal(s.json, &described); err == nil && described.Caption != nil {
			caption = strings.TrimSpace(*described.Caption)
		}
	}
	switch {
	case s.err != nil:
	case s.item.data == nil:
		s.err = errors.New("no picture")
	case caption == "":
		s.err = errors.New("no caption")
	}
	s.item.Captions = []string{caption}
	return yield(s.item, s.err)
}
