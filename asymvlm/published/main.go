package published

import "slices"

// An Optimizer is a row of table A.1, which documents how the paper trained a method.
type Optimizer struct {
	Method       string // method names in package adapter, separated by commas
	Optimizer    string // as printed
	LearningRate float64
	Batch        int
	Erratum      string // error of the row; "" if none is known
}

// Optimizers returns the rows of table A.1.
func Optimizers() []Optimizer {
	return []Optimizer{
		{"asymvlm-vmf, asymvlm-psd", "SGD", 1e-2, 2048, ""},
		{"probvlm", "AdamW", 1e-4, 2048, ""},
		{"pfe", "SGD", 1e-3, 2048, ""},
		{"pcmepp", "SGD", 5e-4, 2048, "the paper's program has AdamW"},
	}
}

// repeated maps tables of the main text to the appendix tables whose means they repeat.
var repeated = map[string]string{"1": "A.2", "2": "A.5", "3": "A.4"}

// Table returns the numbers of a table, "1" to "3" or "A.2" to "A.5", in the order of the appendix,
// or nil for an unknown table. Tables 1, 2 and 3 have no deviations, and their directions follow
// the appendix. Table A.1 contains no numbers of this kind; see Optimizers.
func Table(name string) []Number {
	source, main := repeated[name]
	if !main {
		source = name
	}
	list := slices.DeleteFunc(numbers(), func(n Number) bool { return n.Table != source })
	for i := range list {
		if main {
			list[i].Table, list[i].SD, list[i].HasSD = name, 0, false
		}
	}
	return list
}

// Tables returns the names of the available tables in the order of the paper.
func Tables() []string { return []string{"1", "2", "3", "A.1", "A.2", "A.3", "A.4", "A.5"} }
