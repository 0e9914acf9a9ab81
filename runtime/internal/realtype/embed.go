package realtype

import (
	"embed"
	"path"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// An embeddedFile mirrors embed.file. Only fs.ReadFile and similar methods read it, and none uses
// the hash.
type embeddedFile struct {
	name string
	data string
	_    [16]byte // hash
}

// EmbeddedFiles returns a file system with the given slash-separated names and contents. The names
// of folders end in a slash and have no content.
func EmbeddedFiles(files map[string]string) embed.FS {
	list := make([]embeddedFile, 0, len(files))
	for name, data := range files {
		list = append(list, embeddedFile{name: name, data: data})
	}
	slices.SortFunc(list, func(a, b embeddedFile) int { // sorted by folder and name, as embed.FS requires
		folderA, nameA := path.Split(strings.TrimSuffix(a.name, "/"))
		folderB, nameB := path.Split(strings.TrimSuffix(b.name, "/"))
		if c := strings.Compare(strings.TrimSuffix(folderA, "/"), strings.TrimSuffix(folderB, "/")); c != 0 {
			return c
		}
		return strings.Compare(nameA, nameB)
	})
	var fs embed.FS
	// The only field of embed.FS is a pointer to the list, which checkEmbedded verifies.
	*(**[]embeddedFile)(unsafe.Pointer(&fs)) = &list
	return fs
}

// checkEmbedded compares embed.FS and its files with their mirrors.
func checkEmbedded() bool {
	t := reflect.TypeFor[embed.FS]()
	if t.NumField() != 1 || t.Field(0).Type.Kind() != reflect.Pointer || t.Field(0).Type.Elem().Kind() != reflect.Slice {
		return false
	}
	file, mirror := t.Field(0).Type.Elem().Elem(), reflect.TypeFor[embeddedFile]()
	if file.Kind() != reflect.Struct || file.NumField() != mirror.NumField() {
		return false
	}
	for i := range file.NumField() {
		a, b := file.Field(i), mirror.Field(i)
		if a.Name != b.Name && b.Name != "_" || a.Type != b.Type || a.Offset != b.Offset {
			return false
		}
	}
	data, err := EmbeddedFiles(map[string]string{"a/": "", "a/b": "c"}).ReadFile("a/b")
	return err == nil && string(data) == "c"
}
