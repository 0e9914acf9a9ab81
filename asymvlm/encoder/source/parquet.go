package source

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gosphere/asymvlm/internal/columns"
)

// pictureNames are the accepted names of a column of picture files.
var pictureNames = []string{"image.bytes", "image", "jpg", "png", "webp", "jpg.bytes"}

// openParquet opens Parquet files of one layout for streaming.
func openParquet(pattern, split string) (*Source, error) {
	if err := unsplit("parquet", split); err != nil {
		return nil, err
	}
	files, err := matching(pattern, ".parquet")
	if err != nil {
		return nil, err
	}
	s := &Source{Files: files}
	for i, file := range files {
		count, pictures, err := lookAt(file)
		if err != nil {
			return nil, err
		}
		if i > 0 && pictures == s.TextOnly {
			return nil, fmt.Errorf("%s has pictures and %s has none, or the other way round", file, files[0])
		}
		s.Count, s.TextOnly = s.Count+count, !pictures
	}
	s.items = func(yield func(Item, error) bool) {
		for _, file := range files {
			if !readParquet(file, yield) {
				return
			}
		}
	}
	return s, nil
}

// lookAt returns the number of rows of a file and reports whether they have pictures.
func lookAt(file string) (count int, pictures bool, err error) {
	table, err := columns.Open(file)
	if err != nil {
		return 0, false, err
	}
	defer table.Close()
	wanted, err := wantedOf(table)
	return table.Count, len(wanted) > 1, err
}

// wantedOf returns the column of captions and, if there is one, the column of pictures.
func wantedOf(table *columns.Table) ([]columns.Column, error) {
	captions, ok := table.Column(captionNames...)
	if !ok || captions.Kind != columns.Text {
		return nil, fmt.Errorf("no column of captions among %s: want one of %s", table.Names(), strings.Join(captionNames, ", "))
	}
	wanted := []columns.Column{captions}
	if pictures, ok := table.Column(pictureNames...); ok && pictures.Kind == columns.Text && !pictures.List {
		wanted = append(wanted, pictures)
	}
	return wanted, nil
}

// readParquet yields the rows of one file. It reports whether the next file is wanted.
func readParquet(file string, yield func(Item, error) bool) bool {
	table, err := columns.Open(file)
	if err != nil {
		return yield(Item{Name: file}, err)
	}
	defer table.Close()
	wanted, err := wantedOf(table)
	if err != nil {
		return yield(Item{Name: file}, err)
	}
	row := 0
	for cells, err := range table.Rows(wanted...) {
		item := Item{Name: fmt.Sprintf("%s:%d", filepath.Base(file), row)}
		row++
		if err != nil {
			return yield(item, fmt.Errorf("the rest of the file cannot be read: %w", err))
		}
		for _, caption := range cells[0].Texts() {
			if caption = strings.TrimSpace(caption); caption != "" {
				item.Captions = append(item.Captions, caption)
			}
		}
		if len(wanted) > 1 {
			item.data = cells[1].Bytes()
		}
		switch {
		case len(item.Captions) == 0:
			err = errors.New("no caption")
		case len(wanted) > 1 && len(item.data) == 0:
			err = errors.New("no picture")
		}
		if !yield(item, err) {
			return false
		}
	}
	return true
}
