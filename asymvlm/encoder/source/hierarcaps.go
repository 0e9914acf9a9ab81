package source

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/asymvlm/hierarchy"
	"gosphere/internal/userfile"
)

// hierarCapsLevels is the number of captions in a chain of HierarCaps.
const hierarCapsLevels = 4

// openHierarCaps reads the table of HierarCaps, id,captions,image_url, with chains "bird => blue
// bird => …" of four captions from general to specific. A picture may have several chains; its
// captions are those of its first chain, then those of the next.
func openHierarCaps(where, split string) (*Source, error) {
	if err := unsplit("hierarcaps", split); err != nil {
		return nil, err
	}
	file := where
	if info, err := os.Stat(where); err != nil {
		return nil, err
	} else if info.IsDir() {
		if file, err = oneOf(filepath.Join(where, "hierarcaps_test.csv"), filepath.Join(where, "data", "hierarcaps_test.csv")); err != nil {
			return nil, err
		}
	}
	opened, err := userfile.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	pairs, err := readChains(csv.NewReader(opened))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	dir := filepath.Dir(file)
	folder, none := oneOf(filepath.Join(dir, "test_imgs"), filepath.Join(dir, "..", "assets", "test_imgs"), filepath.Join(dir, "images"), filepath.Join(dir, "val2014"))
	items, err := grouped(folder, pairs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := listed(items, file)
	s.TextOnly = none != nil
	if s.TextOnly {
		for i := range items {
			items[i].path = ""
		}
	}
	return s, nil
}

// readChains returns pairs of picture and chain.
func readChains(table *csv.Reader) ([][2]string, error) {
	names, err := table.Read()
	if err != nil {
		return nil, err
	}
	captions, address := slices.Index(names, "captions"), slices.Index(names, "image_url")
	if captions < 0 || address < 0 {
		return nil, fmt.Errorf("columns %q, want captions and image_url", names)
	}
	records, err := table.ReadAll()
	if err != nil {
		return nil, err
	}
	var pairs [][2]string
	for i, record := range records {
		chain, err := hierarchy.SplitChain(record[captions], hierarCapsLevels)
		name := path.Base(record[address])
		if err == nil && !isPicture(name) {
			err = errors.New("no name of a picture")
		}
		if err != nil {
			return nil, fmt.Errorf("record %d: %q: %w", i+1, record, err)
		}
		for _, caption := range chain {
			pairs = append(pairs, [2]string{name, strings.TrimSpace(caption)})
		}
	}
	return pairs, nil
}
