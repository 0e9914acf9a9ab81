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

// The papers besides AsymVLM whose numbers are included: tables 1 to 7 of ELIP and the range of
// figure 5; tables 1, 2, 3 and C.2 to C.9 of ProLIP and two values of figure C.4. Table C.1 of
// ProLIP, the 38 individual tasks, is not included; its means are in tables 1 and C.2.
const (
	ELIP   = "ELIP"
	ProLIP = "ProLIP"
)

// A Cell is one number printed in the paper of ELIP or of ProLIP.
type Cell struct {
	Paper   string // ELIP or ProLIP
	Table   string // "1", "C.7", "Figure 5"
	Data    string // the data of the measurement
	Method  string // as in the paper; "CLIP zero-shot" and "BLIP zero-shot" for the untrained rows
	Setting string // "T*→I", where asterisks mark damaged inputs; a prompt strategy; the kind of damage; an encoder
	Measure string // "R@1", "MMI", "RSUM", "accuracy"
	Value   float64
	// Printed is the value with the digits of the paper, such as "63.0".
	Printed string
	// Erratum describes an error of the printed number; "" if none is known.
	Erratum string
}

// Cells returns the numbers that match the given fields, in the order of the papers. An empty field
// matches everything. Value, Printed and Erratum are ignored.
func Cells(want Cell) []Cell {
	var found []Cell
	for _, c := range cells() {
		if c.agrees(want) {
			found = append(found, c)
		}
	}
	return found
}

// cells reads the table, which is verified by a test.
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

// agrees reports whether a cell matches the wanted fields.
func (c Cell) agrees(want Cell) bool {
	for _, pair := range [][2]string{{c.Paper, want.Paper}, {c.Table, want.Table}, {c.Data, want.Data}, {c.Method, want.Method},
		{c.Setting, want.Setting}, {c.Measure, want.Measure}} {
		if pair[1] != "" && pair[0] != pair[1] {
			return false
		}
	}
	return true
}

// CellOf returns the only number that matches the given fields. It returns an error that names the
// fields if there is none or more than one.
func CellOf(want Cell) (Cell, error) {
	found := Cells(want)
	if len(found) != 1 {
		return Cell{}, fmt.Errorf("published: %d numbers of %s, table %s, data %q, method %q, setting %q, measure %q",
			len(found), want.Paper, want.Table, want.Data, want.Method, want.Setting, want.Measure)
	}
	return found[0], nil
}
