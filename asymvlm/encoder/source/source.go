// Package source reads collections of pictures with captions or classes in the layouts in which they are published: COCO,
// Karpathy's splits, Flickr8k and Flickr30k, HierarCaps, tar files of webdataset, Parquet, plain folders, CIFAR, STL-10 and
// ImageNet; and captions alone. Nothing is decoded here.
//
// Read source.go first, then annotations.go (JSON and token files), hierarcaps.go, plain.go (folders), tar.go and parquet.go
// (streams), captions.go (captions alone) and labeled.go (classes).
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
)

// An Item is one picture with its captions.
type Item struct {
	// Name identifies the picture in its collection, such as the path below the folder.
	Name     string
	Captions []string
	// Label is the number of the class, from 0, in a collection that has classes and no captions.
	Label int
	data  []byte
	path  string
	read  func() ([]byte, error)
}

// Read returns the bytes of the picture's file.
func (i Item) Read() ([]byte, error) {
	switch {
	case i.read != nil:
		return i.read()
	case i.path == "" && i.data == nil:
		return nil, fmt.Errorf("source: %s has no picture", i.Name)
	case i.path == "":
		return i.data, nil
	}
	return os.ReadFile(i.path)
}

// A Source is a collection in a fixed order.
type Source struct {
	// Count is the number of pictures, −1 where only reading everything shows it.
	Count int
	// TextOnly reports captions without pictures; Item.Read is an error then.
	TextOnly bool
	// Files are what the collection is described by; with their sizes and times they identify it.
	Files []string
	// Classes are the names of the classes, nil for a collection with captions. Templates are those of the prompts that
	// OpenAI used for it.
	Classes, Templates []string
	items              func(yield func(Item, error) bool)
}

// Items returns the pictures in their order. An error beside an item is about that picture alone, or about the rest of a
// file; the next item follows.
func (s *Source) Items() iter.Seq2[Item, error] { return s.items }

// listed returns a source of known items.
func listed(items []Item, files ...string) *Source {
	return &Source{Count: len(items), Files: files, items: func(yield func(Item, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}}
}

// kinds are the layouts and what reads them.
var kinds = map[string]func(path, split string) (*Source, error){
	"coco": openCOCO, "karpathy": openKarpathy, "flickr": openFlickr, "folder": openFolder, "webdataset": openTar,
	"hierarcaps": openHierarCaps, "parquet": openParquet, "captions": openCaptions, "cc": openConceptual,
	"cifar10": openCIFAR10, "cifar100": openCIFAR100, "stl10": openSTL10, "classes": openClasses,
}

// Kinds returns the names of the layouts, sorted.
func Kinds() []string {
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Open opens a collection of a kind:
//
//	coco        a folder with annotations/captions_val2017.json (or 2014) and val2017/
//	karpathy    a file dataset_coco.json, dataset_flickr30k.json … with the pictures in folders beside it
//	flickr      a folder with a .token file, or captions.txt of lines "file,caption", and a folder of pictures
//	folder      a folder of pictures with captions.txt of lines "file<TAB>caption", captions.csv, or a .txt file each
//	webdataset  a tar file, or a pattern such as data/*.tar, as img2dataset writes them
//	parquet     a Parquet file, or a pattern, with a column of captions (caption, captions, text, title or sentence) and one of
//	            picture files (image.bytes, image or jpg); without the latter, captions alone
//	hierarcaps  hierarcaps_test.csv or its folder; pictures in test_imgs, images or val2014 there, else captions alone
//	captions    captions alone: a .txt file with one a line, or .csv, .tsv or .parquet with a column caption, text or title
//	cc          CC3M's and CC12M's lists of captions and addresses, captions alone; img2dataset downloads pictures as webdataset
//	cifar10     the binary version: data_batch_1.bin …, test_batch.bin, batches.meta.txt
//	cifar100    the binary version: train.bin, test.bin, fine_label_names.txt
//	stl10       the binary version: test_X.bin, test_y.bin, class_names.txt
//	classes     a folder with a folder of pictures for each class, as ImageNet, and classes.txt with their names
//
// The last four have classes and no captions.
//
// split is that of the collection, "" for all where there is none. A collection without pictures is an error.
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

// isPicture reports whether a name ends as pictures do.
func isPicture(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp"}, strings.ToLower(filepath.Ext(name)))
}

// below returns the path of a file that a collection names, which must be inside its folder.
func below(dir, name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%q is not a path inside %s", name, dir)
	}
	return filepath.Join(dir, filepath.FromSlash(name)), nil
}

// oneOf returns the first of some paths that exists.
func oneOf(paths ...string) (string, error) {
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no %s", strings.Join(paths, " and no "))
}
