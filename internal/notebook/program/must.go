package program

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// must returns the program's name of the function for a call of the predeclared must of cells. The
// function itself is written at the end.
func (n *names) must(f *types.Func) string {
	results := f.Signature().Results().Len()
	if name := n.musts[results]; name != "" {
		return name
	}
	if n.musts == nil {
		n.musts = map[int]string{}
	}
	if results == 1 {
		n.musts[results] = n.fresh("must")
	} else {
		n.musts[results] = n.own(fmt.Sprint("must", results))
	}
	return n.musts[results]
}

// mustText returns the declarations of the functions for must that the program calls.
func (n *names) mustText() string {
	var text strings.Builder
	for _, results := range slices.Sorted(maps.Keys(n.musts)) {
		name, kinds := n.musts[results], []string{"T", "U", "V"}[:results]
		if results == 0 {
			fmt.Fprintf(&text, "// %s panics with an error.\nfunc %s(err error) {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n}\n\n", name, name)
			continue
		}
		var parameters, values []string
		for i, kind := range kinds {
			values = append(values, []string{"value", "second", "third"}[i])
			parameters = append(parameters, values[i]+" "+kind)
		}
		list := strings.Join(kinds, ", ")
		result := list
		if results > 1 {
			result = "(" + list + ")"
		}
		fmt.Fprintf(&text, "// %s returns the results of a call, or panics with its error.\nfunc %s[%s any](%s, err error) %s {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\treturn %s\n}\n\n",
			name, name, list, strings.Join(parameters, ", "), result, strings.Join(values, ", "))
	}
	return text.String()
}
