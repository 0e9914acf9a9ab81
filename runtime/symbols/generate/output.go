package main

import (
	"bytes"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"

	"gosphere/runtime/internal/packages"
)

// A variants holds the data of one package on each platform.
type variants struct {
	name   string
	tables map[platform]*table
	types  map[platform][]byte
	docs   map[platform]map[string]string
}

// An output collects the packages of all platforms until they are written.
type output struct {
	version  string
	packages map[string]*variants
}

func (o *output) collect(u *universe, path string) error {
	pkg := u.packages[path]
	v := o.packages[path]
	if v == nil {
		v = &variants{
			name:   pkg.types.Name(),
			tables: map[platform]*table{},
			types:  map[platform][]byte{},
			docs:   map[platform]map[string]string{},
		}
		o.packages[path] = v
	}
	if path == "unsafe" {
		v.tables[u.platform] = &table{path: path, name: path, types: []symbol{{"Pointer", "(*unsafe.Pointer)(nil)"}}}
	} else {
		v.tables[u.platform] = tableOf(pkg.types)
		// An empty file set omits all positions, which would contain folders of this machine and
		// differ with every edit of a comment.
		var b bytes.Buffer
		if err := gcexportdata.Write(&b, token.NewFileSet(), pkg.types); err != nil {
			return err
		}
		v.types[u.platform] = b.Bytes()
	}
	docs, err := docsOf(u.fset, pkg.files, path)
	if err != nil {
		return err
	}
	v.docs[u.platform] = docs
	return nil
}

// files returns all generated files.
func (o *output) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	var everywhere []string
	some := map[platform][]string{}
	for _, path := range slices.Sorted(maps.Keys(o.packages)) {
		v := o.packages[path]
		if len(v.tables) == len(platforms) {
			everywhere = append(everywhere, path)
		} else {
			for p := range v.tables {
				some[p] = append(some[p], path)
			}
		}
		if err := v.tableFiles(files); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	var err error
	if files["tables_all.go"], err = renderList(everywhere, "", "tables"); err != nil {
		return nil, err
	}
	for _, p := range platforms {
		name := fmt.Sprintf("tables_%s_%s.go", p.os, p.arch)
		if files[name], err = renderList(some[p], p.constraint(), "platformTables"); err != nil {
			return nil, err
		}
	}
	return files, o.archives(files)
}

// tableFiles writes one file for each set of platforms with equal tables.
func (v *variants) tableFiles(files map[string][]byte) error {
	groups := map[string][]platform{} // platforms by text
	var order []string
	for _, p := range platforms {
		t := v.tables[p]
		if t == nil {
			continue
		}
		text, err := t.render("")
		if err != nil {
			return err
		}
		if groups[string(text)] == nil {
			order = append(order, string(text))
		}
		groups[string(text)] = append(groups[string(text)], p)
	}
	for _, text := range order {
		group := groups[text]
		t := v.tables[group[0]]
		suffix, constraint := describe(group)
		source, err := t.render(constraint)
		if err != nil {
			return err
		}
		files[fileName(t.path)+suffix+".go"] = source
	}
	return nil
}

func (p platform) constraint() string { return p.os + " && " + p.arch }

// describe returns a suffix for the file name and a build constraint for a set of platforms.
func describe(group []platform) (suffix, constraint string) {
	if len(group) == len(platforms) {
		return "", ""
	}
	systems := map[string][]string{}
	for _, p := range group {
		systems[p.os] = append(systems[p.os], p.arch)
	}
	var names, terms []string
	for _, system := range slices.Sorted(maps.Keys(systems)) {
		if archs := systems[system]; len(archs) == architectures(system) {
			names = append(names, system)
			terms = append(terms, system)
		} else {
			names = append(names, system+"_"+archs[0])
			terms = append(terms, "("+system+" && "+archs[0]+")")
		}
	}
	if len(terms) == 1 {
		return "_" + names[0], strings.Trim(terms[0], "()")
	}
	// The go command interprets a system or architecture at the end of a file name as a constraint.
	return "_" + strings.Join(names, "_") + "_only", strings.Join(terms, " || ")
}

// architectures returns the number of platforms with an operating system.
func architectures(system string) (n int) {
	for _, p := range platforms {
		if p.os == system {
			n++
		}
	}
	return n
}

// archives writes the shared segment and one segment per platform.
func (o *output) archives(files map[string][]byte) error {
	shared := packages.Segment{GoVersion: o.version}
	special := map[platform]*packages.Segment{}
	for _, p := range platforms {
		special[p] = &packages.Segment{GoVersion: o.version, Platform: p.String()}
	}
	reference := platforms[0]
	for _, path := range slices.Sorted(maps.Keys(o.packages)) {
		v := o.packages[path]
		common := packages.Package{Path: path, Name: v.name, Docs: v.docs[reference]}
		if v.sameTypes() {
			common.Types = v.types[reference]
		}
		for _, p := range platforms {
			own := packages.Package{Path: path, Name: v.name}
			if common.Types == nil {
				own.Types = v.types[p]
			}
			if !maps.Equal(v.docs[p], common.Docs) {
				own.Docs = v.docs[p]
			}
			if own.Types != nil || own.Docs != nil {
				special[p].Packages = append(special[p].Packages, own)
			}
		}
		shared.Packages = append(shared.Packages, common)
	}
	var err error
	if files["archive/shared.bin"], err = shared.Encode(); err != nil {
		return err
	}
	for p, segment := range special {
		name := fmt.Sprintf("archive/%s_%s.bin", p.os, p.arch)
		if files[name], err = segment.Encode(); err != nil {
			return err
		}
		if files[fmt.Sprintf("embed_%s_%s.go", p.os, p.arch)], err = renderEmbed(p, name); err != nil {
			return err
		}
	}
	return nil
}

func (v *variants) sameTypes() bool {
	for _, p := range platforms {
		if !bytes.Equal(v.types[p], v.types[platforms[0]]) {
			return false
		}
	}
	return true
}

func renderEmbed(p platform, name string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(header)
	fmt.Fprintf(&b, "//go:build %s\n\npackage symbols\n\nimport _ \"embed\"\n\n//go:embed %s\nvar platformArchive string\n", p.constraint(), name)
	return b.Bytes(), nil
}
