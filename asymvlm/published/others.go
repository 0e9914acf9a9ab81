package published

import (
	_ "embed" // for the table
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed others.csv
var others string

// The papers besides AsymVLM whose numbers are here: tables 1 to 7 of ELIP with the range of figure 5; tables 1, 2, 3 and C.2 to C.9 of
// ProLIP with two values of figure C.4. Table C.1 of ProLIP, the 38 tasks one by one, is not here; its means are in tables 1 and C.2.
const (
	ELIP   = "ELIP"
	ProLIP = "ProLIP"
)

// A Cell is one number that the paper of ELIP or of ProLIP prints.
type Cell struct {
	Paper   string // ELIP or ProLIP
	Table   string // "1", "C.7", "Figure 5"
	Data    string // what it was measured on
	Method  string // as the paper writes it; "CLIP zero-shot" and "BLIP zero-shot" for the rows that were not trained
	Setting string // "T*→I", asterisks for what is damaged; a prompt strategy; the kind of damage; an encoder
	Measure string // "R@1", "MMI", "RSUM", "accuracy"
	Value   float64
	// Printed is the value with the digits of the paper, such as "63.0".
	Printed string
	// Erratum tells what is wrong with the printed number; "" as far as anybody knows.
	Erratum string
}

// Cells returns the numbers that agree with the given fields, in the order of the papers; empty fields agree with all. Value,
// Printed and Erratum are not looked at.
func Cells(want Cell) []Cell {
	var found []Cell
	for _, c := range cells() {
		if c.agrees(want) {
			found = append(found, c)
		}
	}
	return found
}

// cells reads the table, which a test checks once and for all.
var cells = sync.OnceValue(func() []Cell {
	rows, err := csv.NewReader(strings.NewReader(others)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("published: %v", err))
	}
	var list []Cell
	for line, row := range rows[1:] {
		c := Cell{Paper: row[0], Table: row[1], Data: row[2], Method: row[3], Setting: row[4], Measure: row[5], Printed: row[6], Erratum: row[7]}
		if c.Value, err = strconv.ParseFloat(row[6], 64); err != nil {
			panic(fmt.Sprintf("published: line %d: %v", line+2, err))
		}
		list = append(list, c)
	}
	return list
})

// agrees reports whether a cell has the fields that are wanted.
func (c Cell) agrees(want Cell) bool {
	for _, pair := range [][2]string{{c.Paper, want.Paper}, {c.Table, want.Table}, {c.Data, want.Data}, {c.Method, want.Method},
		{c.Setting, want.Setting}, {c.Measure, want.Measure}} {
		if pair[1] != "" && pair[0] != pair[1] {
			return false
		}
	}
	return true
}

// CellOf returns the one number that agrees with the given fields. The error names them when there is none or more than one.
func CellOf(want Cell) (Cell, error) {
	found := Cells(want)
	if len(found) != 1 {
		return Cell{}, fmt.Errorf("published: %d numbers of %s, table %s, data %q, method %q, setting %q, measure %q",
			len(found), want.Paper, want.Table, want.Data, want.Method, want.Setting, want.Measure)
	}
	return found[0], nil
}
