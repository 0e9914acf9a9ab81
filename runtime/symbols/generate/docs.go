package main

import (
	"go/ast"
	"go/doc"
	"go/token"
	"strings"
)

// docsOf returns the documentation of everything that a package exports: the package itself under
// "", names under their name, and methods, interface methods and struct fields under "Type.Name".
// It modifies the syntax trees, which are not used afterward.
func docsOf(fset *token.FileSet, files []*ast.File, path string) (map[string]string, error) {
	docs := documentation{}
	pkg, err := doc.NewFromFiles(fset, files, path)
	if err != nil {
		return nil, err
	}
	docs.add("", pkg.Doc)
	docs.addValues(pkg.Consts)
	docs.addValues(pkg.Vars)
	docs.addFuncs("", pkg.Funcs)
	for _, t := range pkg.Types {
		docs.add(t.Name, t.Doc)
		docs.addValues(t.Consts)
		docs.addValues(t.Vars)
		docs.addFuncs("", t.Funcs)
		docs.addFuncs(t.Name+".", t.Methods)
		for _, spec := range t.Decl.Specs {
			docs.addMembers(spec.(*ast.TypeSpec))
		}
	}
	return docs, nil
}

type documentation map[string]string

func (d documentation) add(name, text string) {
	if text = strings.TrimSpace(text); text != "" && d[name] == "" {
		d[name] = text
	}
}

// addValues adds the comment above each name in a group of constants or variables. Without one it
// joins the comment on the same line with that of the group: for math.Pi the former is an address,
// and the latter describes all constants.
func (d documentation) addValues(values []*doc.Value) {
	for _, value := range values {
		for _, spec := range value.Decl.Specs {
			spec := spec.(*ast.ValueSpec)
			text := first(spec.Doc.Text(), strings.TrimSpace(value.Doc+"\n"+spec.Comment.Text()))
			for _, name := range spec.Names {
				if name.IsExported() {
					d.add(name.Name, text)
				}
			}
		}
	}
}

func (d documentation) addFuncs(prefix string, funcs []*doc.Func) {
	for _, f := range funcs {
		d.add(prefix+f.Name, f.Doc)
	}
}

// addMembers adds the comments of struct fields and interface methods.
func (d documentation) addMembers(spec *ast.TypeSpec) {
	var fields *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			if name.IsExported() {
				d.add(spec.Name.Name+"."+name.Name, first(field.Doc.Text(), field.Comment.Text()))
			}
		}
	}
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
