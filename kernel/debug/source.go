package debug

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// Clients and kernel identify the text of a cell by a path that both compute from it: prefix, hash,
// suffix. Breakpoints and positions refer to this path.

const (
	hashMethod = "Murmur2" // the only one that JupyterLab supports
	hashSeed   = 0x9747b28c
	suffix     = ".go"
)

// folderName is the name of the folder for the files of cells. If a path contains "ipykernel_",
// JupyterLab shows the number of the cell instead of the path. The folder contains the process id,
// so kernels do not share files, and Close of one removes only its own.
const folderName = "gosphere_ipykernel_%d"

// sources holds the texts of cells by path. A file is written only for a text that a client dumps.
// The texts are kept in memory too, so that find reads no file. A text is kept until Close, since a
// breakpoint may refer to any cell that was dumped.
type sources struct {
	prefix string

	mu    sync.Mutex // guards texts
	texts map[string]string
	made  bool // the folder exists
}

func newSources() *sources {
	folder := filepath.Join(os.TempDir(), fmt.Sprintf(folderName, os.Getpid()))
	return &sources{prefix: folder + string(filepath.Separator), texts: map[string]string{}}
}

// path returns the path for the text of a cell, whether it has been dumped or not. Two cells with
// the same text have the same path, and therefore the same breakpoints. Different texts with the
// same hash of 32 bits are not distinguished; Jupyter's protocol has no way to do so. For instance
// /tmp/gosphere_ipykernel_4711/2999781459.go.
func (s *sources) path(text string) string {
	return s.prefix + strconv.FormatUint(uint64(Murmur2(text, hashSeed)), 10) + suffix
}

// dump writes the text of a cell to its path. Only the owner may read it, as in the history,
// because cells may contain passwords.
func (s *sources) dump(text string) (path string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path = s.path(text)
	s.texts[path] = text
	if err := s.makeFolder(filepath.Dir(path)); err != nil {
		return "", fmt.Errorf("dumpCell: %w", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("dumpCell: %w", err)
	}
	return path, nil
}

// makeFolder makes the folder unless it exists. Its name is predictable, so another user may
// have made it before. Only the owner of a folder can change its mode, so a folder of another user
// is an error.
func (s *sources) makeFolder(folder string) error {
	err := os.Mkdir(folder, 0o700)
	if errors.Is(err, fs.ErrExist) && s.made {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		info, failed := os.Lstat(folder)
		switch {
		case failed != nil:
			return failed
		case !info.IsDir():
			return fmt.Errorf("%s is not a folder", folder)
		}
		err = os.Chmod(folder, 0o700)
	}
	s.made = err == nil
	return err
}

// find returns the text of a cell that a client has dumped.
func (s *sources) find(path string) (text string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok = s.texts[path]
	return text, ok
}

// remove deletes the files. It deletes nothing if no cell was dumped, so that a folder of another
// user with this name is left alone.
func (s *sources) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.made {
		return nil
	}
	s.made = false
	return os.RemoveAll(filepath.Clean(s.prefix))
}

// Murmur2 returns the 32-bit MurmurHash2 (A. Appleby, 2008) of a text in UTF-8, read as
// little-endian words. JupyterLab computes the same function in the browser, so every bit counts;
// an odd tail of up to three bytes is mixed in as by the reference implementation.
func Murmur2(text string, seed uint32) uint32 {
	const m, r = 0x5bd1e995, 24
	data := []byte(text)
	h := seed ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
		k *= m
		k ^= k >> r
		k *= m
		h = h*m ^ k
	}
	if len(data) > 0 {
		for i, b := range data {
			h ^= uint32(b) << (8 * i)
		}
		h *= m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}
