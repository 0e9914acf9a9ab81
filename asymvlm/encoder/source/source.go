// Package source reads collections of pictures with captions or classes in their published layouts:
// COCO, Karpathy's splits, Flickr8k and Flickr30k, HierarCaps, webdataset tar files, Parquet, plain
// folders, CIFAR, STL-10 and ImageNet. It also reads captions without pictures. It does not decode
// pictures.
//
// Read source.go first, then annotations.go (JSON and token files), hierarcaps.go, plain.go
// (folders), tar.go and parquet.go (streams), captions.go (captions without pictures) and
// labeled.go (classes).
//
//	s, err := source.Open("coco", "data/coco", "val")
//	for item, err := range s.Items() { … }
package source

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/internal/userfile"
)

// An Item is a picture with its captions.
type Item struct {
	// Name identifies the picture in its collection, for instance by its path below the folder.
	Name     string
	Captions []string
	// ID and CaptionIDs are the numbers of the picture and of its captions in the annotations of
	// COCO, by which lists of positives name them. CaptionIDs is nil in other collections.
	ID         int64
	CaptionIDs []int64
	// Label is the index of the class, from 0, in a collection with classes instead of captions.
	Label int
	data  []byte
	path  string
	read  func() ([]byte, error)
}

// Read returns the bytes of the picture file. It returns an error if the file cannot be read or the
// item has no picture.
func (i Item) Read() ([]byte, error) {
	switch {
	case i.read != nil:
		return i.read()
	case i.path == "" && i.data == nil:
		return nil, fmt.Errorf("source: %s has no picture", i.Name)
	case i.path == "":
		return i.data, nil
	}
	return userfile.ReadFile(i.path, userfile.Picture)
}

// Held returns the number of bytes of the picture that the item holds in memory.
func (i Item) Held() int { return len(i.data) }

// A Source is a collection in a fixed order.
type Source struct {
	// Count is the number of pictures, or −1 if it is known only after reading everything.
	Count int
	// TextOnly reports whether the collection has captions without pictures. Item.Read then returns
	// an error.
	TextOnly bool
	// Files are the files that describe the collection. Their sizes and times identify it.
	Files []string
	// Classes are the names of the classes, or nil for a collection with captions. Templates are
	// the prompt templates that OpenAI used for the collection.
	Classes, Templates []string
	items              func(yield func(Item, error) bool)
}

// Items iterates over the pictures in order. An error that is yielded with an item concerns that
// picture, or the rest of a file; iteration continues.
func (s *Source) Items() iter.Seq2[Item, error] { return s.items }

// listed returns a source of the given items.
func listed(items []Item, files ...string) *Source {
	return &Source{Count: len(items), Files: files, items: func(yield func(Item, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}}
}

// kinds maps the names of layouts to their readers.
var kinds = map[string]func(path, split string) (*Source, error){
	"coco": openCOCO, "karpathy": openKarpathy, "flickr": openFlickr, "folder": openFolder, "webdataset": openTar,
	"hierarcaps": openHierarCaps, "parquet": openParquet, "captions": openCaptions, "cc": openConceptual,
	"cifar10": openCIFAR10, "cifar100": openCIFAR100, "stl10": openSTL10, "classes": openClasses,
}

// Kinds returns the names of the layouts in sorted order.
func Kinds() []string {
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Open opens a collection. Kind names its layout:
//
//	coco        a folder with annotations/captions_val2017.json (or 2014) and val2017/
//	karpathy    a file dataset_coco.json, dataset_flickr30k.json … next to the folders of the pictures
//	flickr      a folder with a .token file, or captions.txt of lines "file,caption", and a folder of pictures
//	folder      a folder of pictures with captions.txt of lines "file<TAB>caption", captions.csv, or a .txt file each
//	webdataset  a tar file, a folder of them, or a pattern such as data/*.tar or data/{00000..00012}.tar, as img2dataset writes them
//	parquet     a Parquet file, a folder of them, or a pattern, with a column of captions (caption, captions, text, title or sentence) and one of
//	            picture files (image.bytes, image or jpg); without the latter, captions only
//	hierarcaps  hierarcaps_test.csv or its folder; pictures in test_imgs, images or val2014 there, otherwise captions only
//	captions    captions only: a .txt file with one per line, or .csv, .tsv or .parquet with a column caption, text or title
//	cc          CC3M's and CC12M's lists of captions and addresses, captions only; img2dataset downloads pictures as webdataset
//	cifar10     the binary version: data_batch_1.bin …, test_batch.bin, batches.meta.txt
//	cifar100    the binary version: train.bin, test.bin, fine_label_names.txt
//	stl10       the binary version: test_X.bin, test_y.bin, class_names.txt
//	classes     a folder with one folder of pictures per class, such as ImageNet, and classes.txt with their names
//
// The last four have classes instead of captions.
//
// Split names a split of the collection; "" selects all of a collection without splits. An unknown
// kind or split, malformed files, and a collection without items are errors.
func Open(kind, path, split string) (*Source, error) {
	open, ok := kinds[kind]
	if !ok {
		return nil, fmt.Errorf("source: kind %q, want one of %s", kind, strings.Join(Kinds(), ", "))
	}
	s, err := open(path, split)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if s.Count == 0 {
		return nil, fmt.Errorf("source: %s %s has no pictures with captions or classes in split %q", kind, path, split)
	}
	return s, nil
}

// isPicture reports whether a file name has the extension of a picture.
func isPicture(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp"}, strings.ToLower(filepath.Ext(name)))
}

// below returns the path of a file that a collection names. A name outside the collection's folder
// is an error.
func below(dir, name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%q is not a path inside %s", name, dir)
	}
	return filepath.Join(dir, filepath.FromSlash(name)), nil
}

// oneOf returns the first of the paths that exists.
func oneOf(paths ...string) (string, error) {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no %s", strings.Join(paths, " and no "))
}
