package link

import (
	"embed"
	"go/types"
	"path"
	"slices"
	"strings"
	"unsafe"

	"gosphere/runtime/source"
)

// embed gives a variable with a go:embed directive its value.
func (s *Session) embed(p *libraryPackage, e source.Embed) {
	g := p.variables[e.Var]
	if g == nil {
		return // nothing uses it
	}
	address, ok := g.Address.(unsafe.Pointer)
	if !ok {
		return
	}
	if named, ok := types.Unalias(e.Var.Type()).(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "embed" {
		*(*embed.FS)(address) = filesystem(e.Files)
		return
	}
	data := ""
	if names := e.Names(); len(names) == 1 {
		data = e.Files[names[0]]
	}
	if _, ok := e.Var.Type().Underlying().(*types.Slice); ok {
		*(*[]byte)(address) = []byte(data)
		return
	}
	*(*string)(address) = data
}

// An embeddedFile mirrors embed.file.
type embeddedFile struct {
	name string
	data string
	hash [16]byte
}

// filesystem makes an embed.FS, which holds a pointer to a list of files in the order of their folders and names.
func filesystem(files map[string]string) embed.FS {
	list := make([]embeddedFile, 0, len(files))
	for name, data := range files {
		list = append(list, embeddedFile{name: name, data: data})
	}
	slices.SortFunc(list, func(a, b embeddedFile) int {
		folderA, nameA := path.Split(strings.TrimSuffix(a.name, "/"))
		folderB, nameB := path.Split(strings.TrimSuffix(b.name, "/"))
		if c := strings.Compare(strings.TrimSuffix(folderA, "/"), strings.TrimSuffix(folderB, "/")); c != 0 {
			return c
		}
		return strings.Compare(nameA, nameB)
	})
	var fs embed.FS
	*(**[]embeddedFile)(unsafe.Pointer(&fs)) = &list
	return fs
}
