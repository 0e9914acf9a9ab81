package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gosphere/kernel/nbformat"
)

// A CellDifference describes a cell that differs between two notebooks, or their metadata.
type CellDifference struct {
	// Title names the cell in both notebooks, such as "cell 3 (id a1, code)" or "cell 3 → 4 (id a1,
	// code)", or is "notebook".
	Title string
	// State is "changed", "removed" or "added".
	State string
	// Differences are those of source, outputs and metadata; for a removed or added cell only its
	// source.
	Differences []Difference
}

// Notebooks compares two notebooks cell by cell. Cells correspond if they have the same id, or else
// the same text, in the same order. Execution counts and run metadata of Jupyter are not compared.
func Notebooks(a, b *nbformat.Notebook) []CellDifference {
	var all []CellDifference
	if found := metadata(a.Metadata, b.Metadata); len(found) > 0 {
		all = append(all, CellDifference{"notebook", "changed", found})
	}
	i, j := 0, 0
	alone := func(untilA, untilB int) {
		for ; i < untilA; i++ {
			all = append(all, CellDifference{title(i, -1, a.Cells[i]), "removed", differing("source", Text(a.Cells[i].Source, "", Tolerances{}))})
		}
		for ; j < untilB; j++ {
			all = append(all, CellDifference{title(-1, j, b.Cells[j]), "added", differing("source", Text("", b.Cells[j].Source, Tolerances{}))})
		}
	}
	for _, pair := range pairs(a.Cells, b.Cells) {
		alone(pair[0], pair[1])
		if found := cells(a.Cells[i], b.Cells[j]); len(found) > 0 {
			all = append(all, CellDifference{title(i, j, b.Cells[j]), "changed", found})
		}
		i, j = i+1, j+1
	}
	alone(len(a.Cells), len(b.Cells))
	return all
}

// title returns the name of a cell by its indexes in both notebooks, which are -1 if it is missing.
func title(i, j int, cell *nbformat.Cell) string {
	place := fmt.Sprint(j + 1)
	switch {
	case j < 0:
		place = fmt.Sprint(i + 1)
	case i >= 0 && i != j:
		place = fmt.Sprintf("%d → %d", i+1, j+1)
	}
	return fmt.Sprintf("cell %s (id %s, %s)", place, cell.ID, cell.Type)
}

// pairs returns a longest list of corresponding cells, as increasing indexes in both notebooks.
func pairs(a, b []*nbformat.Cell) [][2]int {
	ids := map[string]bool{}
	for _, cell := range a {
		ids[cell.ID] = true
	}
	shared := map[string]bool{}
	for _, cell := range b {
		shared[cell.ID] = ids[cell.ID]
	}
	same := func(p, q *nbformat.Cell) bool {
		if shared[p.ID] || shared[q.ID] {
			return p.ID == q.ID
		}
		return p.Type == q.Type && p.Source == q.Source
	}
	common := make([][]int, len(a)+1)
	common[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		common[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if same(a[i], b[j]) {
				common[i][j] = max(common[i][j], common[i+1][j+1]+1)
			}
		}
	}
	var list [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case same(a[i], b[j]) && common[i][j] == common[i+1][j+1]+1:
			list = append(list, [2]int{i, j})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			i++
		default:
			j++
		}
	}
	return list
}

// cells compares two corresponding cells.
func cells(a, b *nbformat.Cell) []Difference {
	var all []Difference
	if a.Type != b.Type {
		all = append(all, Difference{Place: "type", Lines: []string{"- " + a.Type, "+ " + b.Type}})
	}
	all = append(all, differing("source", Text(a.Source, b.Source, Tolerances{}))...)
	all = append(all, metadata(a.Metadata, b.Metadata)...)
	all = append(all, differing("attachments", Text(names(a.Attachments), names(b.Attachments), Tolerances{}))...)
	all = append(all, Outputs(a.Outputs, b.Outputs, Tolerances{})...)
	if len(a.Outputs) == len(b.Outputs) {
		for i := range a.Outputs {
			for _, d := range metadata(a.Outputs[i].Metadata, b.Outputs[i].Metadata) {
				d.Place = fmt.Sprintf("output %d, %s", i+1, d.Place)
				all = append(all, d)
			}
		}
	}
	return all
}

// metadata compares two metadata objects without the run metadata.
func metadata(a, b map[string]any) []Difference {
	if a, b = maps.Clone(a), maps.Clone(b); a == nil {
		a = map[string]any{}
	}
	if b == nil {
		b = map[string]any{}
	}
	for _, name := range nbformat.RunMetadata {
		delete(a, name)
		delete(b, name)
	}
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	return differing("metadata", Text(indented(a), indented(b), Tolerances{}))
}

func names(attachments map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(attachments)), "\n")
}
