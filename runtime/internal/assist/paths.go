package assist

import (
	"os"
	"path/filepath"
	"strings"
)

// maxPaths is the maximum number of files of a folder in a list.
const maxPaths = 500

// addPaths adds the files and folders that a quoted text can name; text is the part before the
// cursor. Folders end in a slash. Hidden files are included only after a dot. Relative paths start
// from the working directory of the process, as in os.Open. Names that would need an escape in a
// string are omitted.
func (f *finder) addPaths(text string) {
	folder, base := filepath.Split(text)
	if strings.ContainsAny(folder, "\x00\n\\") {
		return
	}
	entries, err := os.ReadDir(filepath.Clean("./" + folder))
	if filepath.IsAbs(folder) {
		entries, err = os.ReadDir(folder)
	}
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".") || strings.ContainsAny(name, "\"\\`\n") {
			continue
		}
		if isFolder(folder, entry) {
			name += "/"
		}
		f.add(name, "path")
		if len(f.matches) >= maxPaths {
			return
		}
	}
}

// isFolder reports whether an entry is a folder, following links.
func isFolder(folder string, entry os.DirEntry) bool {
	if entry.Type()&os.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := os.Stat(filepath.Join(folder, entry.Name()))
	return err == nil && info.IsDir()
}
