package assist

import (
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// typeHeading returns the declaration of a compiled type in readable form: exported fields, one per
// line, without parts that no cell can name. types.ObjectString would write a struct on one line,
// with all unexported fields.
func typeHeading(o *types.TypeName) string {
	named, ok := o.Type().(*types.Named)
	if !ok || o.IsAlias() || o.Pkg() == nil {
		return types.ObjectString(o, qualifier)
	}
	lines := []string{types.ObjectString(o, qualifier)}
	if record, ok := named.Underlying().(*types.Struct); ok {
		head, _, _ := strings.Cut(lines[0], " struct{")
		lines = append([]string{head + " struct {"}, fieldLines(record)...)
		lines = append(lines, "}")
		if record.NumFields() == 0 {
			lines = []string{head + " struct{}"}
		}
	}
	return strings.Join(lines, "\n")
}

// fieldLines returns a line for each exported field, and a final comment if there are others.
func fieldLines(record *types.Struct) (lines []string) {
	hidden := false
	for i := range record.NumFields() {
		field := record.Field(i)
		switch {
		case !field.Exported():
			hidden = true
		case field.Embedded():
			lines = append(lines, "\t"+types.TypeString(field.Type(), qualifier))
		default:
			lines = append(lines, "\t"+field.Name()+" "+types.TypeString(field.Type(), qualifier))
		}
	}
	if hidden {
		lines = append(lines, "\t// and fields that are not exported")
	}
	return lines
}

// mostMethods is the maximum number of methods listed for a type.
const mostMethods = 40

// methodLines returns a line for each exported method of a compiled type other than an interface,
// sorted by name. The methods of an interface are in its declaration.
func methodLines(o *types.TypeName) (lines []string) {
	named, ok := o.Type().(*types.Named)
	if !ok || o.IsAlias() {
		return nil
	}
	var methods []*types.Func
	for i := range named.NumMethods() {
		if m := named.Method(i); token.IsExported(m.Name()) {
			methods = append(methods, m)
		}
	}
	slices.SortFunc(methods, func(a, b *types.Func) int { return strings.Compare(a.Name(), b.Name()) })
	for _, m := range methods {
		lines = append(lines, functionHeading(m))
	}
	if len(lines) > mostMethods {
		lines = append(lines[:mostMethods], "// and others")
	}
	return lines
}

// packageNamed describes the package with a name, if nothing else has this name. It returns nil if
// there is none. A word alone in a cell is a package if a user only wants to read about it: nothing
// is imported then.
func (a *Assistant) packageNamed(name string) *subject {
	for _, path := range a.packages.PathsNamed(name) {
		if _, err := a.packages.Import(path); err == nil {
			return a.packageSubject(name, path)
		}
	}
	return nil
}

// packageSubject describes a package.
func (a *Assistant) packageSubject(name, path string) *subject {
	return &subject{heading: "package " + name + " // import " + `"` + path + `"`, doc: a.packages.Doc(path, "")}
}
