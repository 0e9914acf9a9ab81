package house

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// corePackage returns the package of room runtime to which a room belongs, such as "guard" for
// runtime/internal/guard/limits and "runtime/check" for a public one, or "" for other rooms.
func corePackage(room string) string {
	public, core := strings.CutPrefix(room, "runtime/")
	name, internal := strings.CutPrefix(public, "internal/")
	name, _, _ = strings.Cut(name, "/")
	switch {
	case !core || name == "symbols" || name == "generic": // tables and sources for cells
		return ""
	case internal:
		return name
	}
	return "runtime/" + name
}

// coreImports returns the core packages that each core package imports.
func coreImports(t *testing.T) map[string][]string {
	found := map[string]map[string]bool{}
	for _, file := range readTree(t) {
		from := corePackage(file.room)
		if from == "" || file.test {
			continue
		}
		if found[from] == nil {
			found[from] = map[string]bool{}
		}
		for _, spec := range file.syntax.Imports {
			imported, _ := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "gosphere/")
			if to := corePackage(imported); to != "" && to != from {
				found[from][to] = true
			}
		}
	}
	list := map[string][]string{}
	for from, to := range found {
		list[from] = slices.Sorted(maps.Keys(to))
	}
	return list
}

// picture draws the imports as a triangle: packages in an order in which each imports only later
// ones, one row each, with a dot below each package that imports it. It reports packages that
// import each other through their subpackages, for which there is no such order.
func picture(imports map[string][]string) (string, error) {
	var order []string
	left := maps.Clone(imports)
	for len(left) > 0 {
		// Of the packages that no other one imports, those with the most imports come first.
		free := slices.DeleteFunc(slices.Sorted(maps.Keys(left)), func(name string) bool {
			for _, to := range left {
				if slices.Contains(to, name) {
					return true
				}
			}
			return false
		})
		if len(free) == 0 {
			return "", fmt.Errorf("core packages import each other: %v", slices.Sorted(maps.Keys(left)))
		}
		slices.SortStableFunc(free, func(a, b string) int { return len(imports[b]) - len(imports[a]) })
		for _, name := range free {
			order = append(order, name)
			delete(left, name)
		}
	}
	var b strings.Builder
	for i, name := range order {
		fmt.Fprintf(&b, "%-16s", name)
		for _, above := range order[:i] {
			if slices.Contains(imports[above], name) {
				b.WriteString("● ")
			} else {
				b.WriteString("· ")
			}
		}
		b.WriteString("┐\n")
	}
	return b.String(), nil
}

func TestTheArchitectureShowsTheImportsOfTheCore(t *testing.T) {
	drawn, err := picture(coreImports(t))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "```text\n"+drawn+"```\n") {
		t.Errorf("docs/architecture.md has another picture of the imports of the core than\n\n%s", drawn)
	}
}

func TestPackagesThatImportEachOtherHaveNoPicture(t *testing.T) {
	if drawn, err := picture(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}}); err == nil {
		t.Errorf("three packages that import each other have the picture\n%s", drawn)
	}
}
