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
	"strconv"
	"strings"

	"gosphere/asymvlm/encoder/picture"
	"gosphere/internal/userfile"
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
	files, err := matching(pattern, ".tar", ".tar.gz", ".tgz")
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

// matching returns the file of that name, the files of a folder with one of the extensions, or the
// sorted files that match a pattern with *, ?, [ ] and braces.
func matching(pattern string, extensions ...string) ([]string, error) {
	if info, err := os.Stat(pattern); err == nil && info.IsDir() {
		var files []string
		for _, extension := range extensions {
			found, _ := filepath.Glob(filepath.Join(escapeGlob(pattern), "*"+extension)) // an escaped pattern is valid
			files = append(files, found...)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("the folder %s has no file *%s", pattern, strings.Join(extensions, ", *"))
		}
		slices.Sort(files)
		return files, nil
	} else if err == nil {
		return []string{pattern}, nil
	}
	patterns, err := braces(pattern)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, one := range patterns {
		found, err := filepath.Glob(one)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", one, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no files %s", one)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// escapeGlob quotes the characters that have a meaning in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(path)
}

// mostShards is the largest number of files that braces may name.
const mostShards = 1 << 20

// braces expands {00000..00012}, in which leading zeros are kept, and {a,b}, as webdataset does.
func braces(pattern string) ([]string, error) {
	before, rest, open := strings.Cut(pattern, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !open {
		return []string{pattern}, nil
	}
	if !closed {
		return nil, fmt.Errorf("%q: a brace is not closed", pattern)
	}
	choices := strings.Split(inside, ",")
	if first, last, isRange := strings.Cut(inside, ".."); isRange {
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || from < 0 || to < from || to-from >= mostShards {
			return nil, fmt.Errorf("%q: {%s} is no range of at most %d numbers, such as {00000..00012}", pattern, inside, mostShards)
		}
		choices = nil
		for number := from; number <= to; number++ {
			choices = append(choices, fmt.Sprintf("%0*d", len(first), number))
		}
	}
	var all []string
	for _, choice := range choices {
		more, err := braces(before + choice + after)
		if err != nil {
			return nil, err
		}
		if all = append(all, more...); len(all) > mostShards {
			return nil, fmt.Errorf("%q: more than %d files", pattern, mostShards)
		}
	}
	return all, nil
}

// A TruncatedError reports a file of which the end is missing or damaged, so that an unknown number
// of samples is lost.
type TruncatedError struct {
	File string
	Last string // the last sample that could be read, "" for none
	Err  error
}

// Error says where reading ended.
func (e *TruncatedError) Error() string {
	if e.Last == "" {
		return fmt.Sprintf("%s is truncated or damaged before its first sample: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s is truncated or damaged after the sample %s: %v", e.File, e.Last, e.Err)
}

// Unwrap returns the error of the archive.
func (e *TruncatedError) Unwrap() error { return e.Err }

// A sample collects the members of one name.
type sample struct {
	key  string
	item Item
	text string
	json []byte
	seen []string // extensions
	err  error
}

// readTar yields the samples of one file. It reports whether the next file is wanted.
func readTar(name string, yield func(Item, error) bool) bool {
	file, err := userfile.Open(name)
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
	marked := &endMark{Reader: stream}
	archive := tar.NewReader(marked)
	current, before := &sample{}, "" // before is the last complete sample
	for {
		marked.zeros = 0 // padding has fewer than 512
		header, err := archive.Next()
		if err == io.EOF && marked.zeros < 1024 {
			err = errors.New("the two empty blocks at the end are missing")
		}
		if err == io.EOF {
			if err := rest(stream); err != nil {
				return current.end(name, yield) && yield(Item{Name: name}, &TruncatedError{name, current.key, err})
			}
			return current.end(name, yield)
		}
		if err != nil { // the position of the next member is unknown
			if current.caption() == "" || current.item.data == nil {
				return yield(Item{Name: name}, &TruncatedError{name, before, err})
			}
			return current.end(name, yield) && yield(Item{Name: name}, &TruncatedError{name, current.key, err})
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
			before, current = current.key, &sample{key: key}
		}
		if err := current.add(archive, header, strings.ToLower(extension)); err != nil { // the member ends early
			return yield(Item{Name: name}, &TruncatedError{name, before, err})
		}
	}
}

// mostPadding is the number of zero bytes that may follow the end of an archive. Programs fill the
// last record, which rarely has more than 1 MB.
const mostPadding = 4 << 20

// rest reads what follows the end of an archive. Two empty blocks end it wherever they are, so that
// a file of which a part was overwritten by zeros looks like a shorter one.
func rest(stream io.Reader) error {
	buffer := make([]byte, 64<<10)
	for read := 0; ; {
		n, err := stream.Read(buffer)
		read += n
		if slices.ContainsFunc(buffer[:n], func(b byte) bool { return b != 0 }) {
			return errors.New("further data follows the end of the archive")
		}
		if read > mostPadding {
			return fmt.Errorf("more than %d zero bytes follow the end of the archive", mostPadding)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// An endMark counts the zero bytes at the end of what was read: an archive ends with 1,024.
type endMark struct {
	io.Reader
	zeros int
}

// Read reads from the archive.
func (m *endMark) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	for _, b := range p[:n] {
		m.zeros++
		if b != 0 {
			m.zeros = 0
		}
	}
	return n, err
}

// mostCaption is the largest accepted size in bytes of a member with a caption.
const mostCaption = 16 << 20

// unseen is the size in bytes up to which a member is read without a look at its beginning. The
// decoder refuses what is no picture.
const unseen = 1 << 20

// add adds a member to the sample. It returns an error if the archive ends within the member.
// Members that are neither a picture nor a caption are not read, nor is the rest of one that does
// not begin as a picture: a small compressed file can contain gigabytes.
func (s *sample) add(r io.Reader, header *tar.Header, extension string) error {
	most := int64(mostCaption)
	switch {
	case isPicture("." + extension):
		most = mostBytes
	case extension != "txt" && extension != "json":
		return nil
	}
	// Members of two samples with one name are consecutive, so they cannot be distinguished.
	if slices.Contains(s.seen, extension) {
		s.err = fmt.Errorf("%s occurs twice: samples have different names", header.Name)
		return nil
	}
	s.seen = append(s.seen, extension)
	if header.Size > most {
		s.err = fmt.Errorf("%s has %d bytes, more than %d", header.Name, header.Size, most)
		return nil
	}
	var head []byte
	if most == mostBytes && header.Size > unseen {
		head = make([]byte, min(header.Size, 12))
		if _, err := io.ReadFull(r, head); err != nil {
			return err
		}
		if !picture.IsPicture(head) {
			s.err = fmt.Errorf("%s is no JPEG, PNG, GIF, WebP or BMP: it begins with %q", header.Name, head)
			return nil
		}
	}
	data := make([]byte, header.Size)
	if _, err := io.ReadFull(r, data[copy(data, head):]); err != nil {
		return err
	}
	switch {
	case most == mostBytes:
		s.item.data = data
	case extension == "txt":
		s.text = string(data)
	case extension == "json":
		s.json = data
	}
	return nil
}

// caption returns the caption that was read, or "".
func (s *sample) caption() string {
	caption := strings.TrimSpace(s.text)
	if caption == "" && s.json != nil {
		var described struct {
			Caption *string `json:"caption"`
		}
		if err := json.Unmarshal(s.json, &described); err == nil && described.Caption != nil {
			caption = strings.TrimSpace(*described.Caption)
		}
	}
	return caption
}

// end yields the sample, if there is one, and reports whether the next one is wanted.
func (s *sample) end(file string, yield func(Item, error) bool) bool {
	if s.key == "" {
		return true
	}
	s.item.Name = filepath.Base(file) + "/" + s.key
	caption := s.caption()
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
