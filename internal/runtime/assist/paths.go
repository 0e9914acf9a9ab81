package assist

import (
	"os"
	"path/filepath"
	"strings"
)

// maxPaths bounds how many files of a folder are offered.
const maxPaths = 500

// addPaths adds the files and folders that a text in quotes can name; text is what stands
// before the cursor. Folders end in a slash. Hidden files are offered once their dot is there.
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

// isFolder follows links.
func isFolder(folder string, entry os.DirEntry) bool {
	if entry.Type()&os.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := os.Stat(filepath.Join(folder, entry.Name()))
	return err == nil && info.IsDir()
}
