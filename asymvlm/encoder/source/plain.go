package source

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"gosphere/internal/userfile"
)

// openFolder reads a folder of pictures. Without a captions file, the captions of a.jpg are the
// lines of a.txt.
func openFolder(dir, split string) (*Source, error) {
	if split != "" {
		dir = filepath.Join(dir, split)
	}
	for name, comma := range map[string]rune{"captions.txt": '\t', "captions.tsv": '\t', "captions.csv": ','} {
		file := filepath.Join(dir, name)
		if !exists(file) {
			continue
		}
		pairs, err := readPairs(file, comma)
		if err != nil {
			return nil, err
		}
		items, err := grouped(dir, pairs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return listed(items, file), nil
	}
	var items []Item
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isPicture(path) {
			return err
		}
		text, err := userfile.ReadFile(strings.TrimSuffix(path, filepath.Ext(path))+".txt", userfile.Source)
		if err != nil {
			return fmt.Errorf("%s has no captions: want captions.txt in the folder, or a .txt file beside it: %w", path, err)
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		item := Item{Name: filepath.ToSlash(name), path: path}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" {
				item.Captions = append(item.Captions, line)
			}
		}
		items = append(items, item)
		return nil
	})
	return listed(items, dir), err
}
