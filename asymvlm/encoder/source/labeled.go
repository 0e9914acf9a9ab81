package source

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/asymvlm/zeroshot"
	"gosphere/internal/userfile"
)

// A record is the layout of a picture in the binary files of a data set: three planes of red, green
// and blue.
type record struct {
	header, label int // number of bytes before the pixels, and index of the label among them; 0 if labels are in a separate file
	side          int
	columns       bool // pixels are stored column by column
}

// size returns the size of a record in bytes.
func (r record) size() int { return r.header + 3*r.side*r.side }

// encoded returns the picture of a record as a PNG, which is lossless.
func (r record) encoded(data []byte) ([]byte, error) {
	pixels, area := data[r.header:], r.side*r.side
	m := image.NewNRGBA(image.Rect(0, 0, r.side, r.side))
	for i := range area {
		x, y := i%r.side, i/r.side
		if r.columns {
			x, y = y, x
		}
		m.SetNRGBA(x, y, color.NRGBA{R: pixels[i], G: pixels[area+i], B: pixels[2*area+i], A: 255})
	}
	var file bytes.Buffer
	err := png.Encode(&file, m)
	return file.Bytes(), err
}

// lines returns the nonempty lines of a file.
func lines(path string) ([]string, error) {
	text, err := userfile.ReadFile(path, userfile.Table)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(strings.ReplaceAll(string(text), "\r", ""), "\n"), func(line string) bool { return line == "" }), nil
}

// binary returns the items of files of records. Labels are bytes of the records, or given for all
// files together.
func (r record) binary(files []string, classes int, labels []byte) ([]Item, error) {
	var items []Item
	for _, file := range files {
		data, err := userfile.ReadFile(file, userfile.Table)
		if err != nil {
			return nil, err
		}
		if len(data)%r.size() != 0 {
			return nil, fmt.Errorf("%s has %d bytes, which is no multiple of the %d of a picture", file, len(data), r.size())
		}
		for i := range len(data) / r.size() {
			one := data[i*r.size() : (i+1)*r.size()]
			number := len(items)
			if labels != nil && number >= len(labels) {
				return nil, fmt.Errorf("%s: more pictures than the %d labels", file, len(labels))
			}
			label := 0
			if labels != nil {
				label = int(labels[number]) - 1 // labels start at 1
			} else {
				label = int(one[r.label])
			}
			if label < 0 || label >= classes {
				return nil, fmt.Errorf("%s: picture %d has the label %d of %d classes", file, i, label, classes)
			}
			items = append(items, Item{
				Name: fmt.Sprintf("%s/%05d", filepath.Base(file), i), Label: label,
				read: func() ([]byte, error) { return r.encoded(one) },
			})
		}
	}
	if labels != nil && len(items) != len(labels) {
		return nil, fmt.Errorf("%d pictures and %d labels", len(items), len(labels))
	}
	return items, nil
}

// labeled returns a source with classes.
func labeled(items []Item, classes, templates, files []string) *Source {
	s := listed(items, files...)
	s.Classes, s.Templates = classes, templates
	return s
}

// openCIFAR10 reads the binary version, with the splits train and test.
func openCIFAR10(dir, split string) (*Source, error) {
	classes, err := lines(filepath.Join(dir, "batches.meta.txt"))
	if err != nil {
		return nil, err
	}
	var files []string
	switch split {
	case "train":
		for i := range 5 {
			files = append(files, filepath.Join(dir, fmt.Sprintf("data_batch_%d.bin", i+1)))
		}
	case "test":
		files = []string{filepath.Join(dir, "test_batch.bin")}
	default:
		return nil, fmt.Errorf("cifar10 has the splits train and test, not %q", split)
	}
	items, err := record{header: 1, side: 32}.binary(files, len(classes), nil)
	return labeled(items, classes, zeroshot.CIFARTemplates(), files), err
}

// openCIFAR100 reads the binary version with its 100 fine labels and the splits train and test.
func openCIFAR100(dir, split string) (*Source, error) {
	classes, err := lines(filepath.Join(dir, "fine_label_names.txt"))
	if err != nil {
		return nil, err
	}
	if split != "train" && split != "test" {
		return nil, fmt.Errorf("cifar100 has the splits train and test, not %q", split)
	}
	for i, name := range classes {
		classes[i] = strings.ReplaceAll(name, "_", " ")
	}
	files := []string{filepath.Join(dir, split+".bin")}
	items, err := record{header: 2, label: 1, side: 32}.binary(files, len(classes), nil)
	return labeled(items, classes, zeroshot.CIFARTemplates(), files), err
}

// openSTL10 reads the binary version, which stores pixels by columns, with the splits train and
// test.
func openSTL10(dir, split string) (*Source, error) {
	classes, err := lines(filepath.Join(dir, "class_names.txt"))
	if err != nil {
		return nil, err
	}
	if split != "train" && split != "test" {
		return nil, fmt.Errorf("stl10 has the splits train and test, not %q", split)
	}
	files := []string{filepath.Join(dir, split+"_X.bin"), filepath.Join(dir, split+"_y.bin")}
	labels, err := userfile.ReadFile(files[1], userfile.Table)
	if err != nil {
		return nil, err
	}
	items, err := record{side: 96, columns: true}.binary(files[:1], len(classes), labels)
	return labeled(items, classes, zeroshot.STLTemplates(), files), err
}

// openClasses reads a folder with one folder of pictures per class, such as ImageNet. The optional
// classes.txt names the folders in lines such as "n01440764 tench".
func openClasses(dir, split string) (*Source, error) {
	names := map[string]string{}
	if list := filepath.Join(dir, "classes.txt"); exists(list) {
		all, err := lines(list)
		if err != nil {
			return nil, err
		}
		for i, line := range all {
			folder, name, ok := strings.Cut(strings.TrimSpace(line), " ")
			if !ok {
				return nil, fmt.Errorf("%s: line %d: %.40q, want a folder and a name", list, i+1, line)
			}
			names[folder] = strings.TrimSpace(name)
		}
	}
	if split != "" {
		dir = filepath.Join(dir, split)
	}
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var items []Item
	var classes []string
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		name := folder.Name()
		if names[name] != "" {
			name = names[name]
		}
		files, err := os.ReadDir(filepath.Join(dir, folder.Name()))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if isPicture(file.Name()) {
				items = append(items, Item{
					Name: folder.Name() + "/" + file.Name(), Label: len(classes), path: filepath.Join(dir, folder.Name(), file.Name()),
				})
			}
		}
		classes = append(classes, name)
	}
	return labeled(items, classes, zeroshot.PlainTemplates(), []string{dir}), nil
}
