package magics

import (
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// tableTypes are variables of cells.
func tableTypes(name string) types.Type {
	record := types.NewStruct([]*types.Var{types.NewField(token.NoPos, nil, "X", types.Typ[types.Int], false)}, nil)
	tables := types.NewPackage("gosphere/runtime/table", "table")
	return map[string]types.Type{
		"sales":  types.NewPointer(types.NewNamed(types.NewTypeName(token.NoPos, tables, "Table", nil), record, nil)),
		"shops":  types.NewSlice(record),
		"staff":  types.NewSlice(types.NewPointer(record)),
		"least":  types.Typ[types.Int],
		"prices": types.NewSlice(types.Typ[types.Float64]),
	}[name]
}

func TestVariablesOfSQL(t *testing.T) {
	for text, want := range map[string]string{
		"select * from $sales where units > $least or units < $least": "sales least",
		"select '$a', \"$b\", `$c` -- $d\n from $e /* $f */":          "e",
		"select $1, $2, $":                    "",
		"create function f() $body$ x $body$": "",
		"from $größe":                         "größe",
		"/* $a":                               "",
		"select * from sales s, shops join staff using (id)":                   "sales shops staff",
		"select * from sales where units > :least and price < @most":           "sales least",
		"with sales as (select 1) select * from sales":                         "",
		"with recursive shops(a) as (select 1 from staff) select * from shops": "staff",
		"select sales from prices, main.sales":                                 "",
		"select x::least from least":                                           "",
		"insert into sales select * from shops":                                "sales shops",
		"select * from (select * from staff) where extract(year from sales)":   "staff sales",
	} {
		var names []string
		for _, v := range SQLVariables(text, tableTypes) {
			names = append(names, v.Name())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// The variables are at the lines and columns at which the statements name them.
func TestVariablesOfSQLKeepTheirPositions(t *testing.T) {
	for _, source := range []string{
		"%%sql :memory: as top\nselect * from $sales where x > $least\n\nand é = $most\n",
		"%%sql\nselect :a,:b, $c||$d",
		"%%sql db\n\n\n\tselect $a from sales,shops",
		"\n%%sql\nselect 1",
	} {
		e, err := ExpandAmong(source, func(name string) types.Type {
			if t := tableTypes(name); t != nil {
				return t
			}
			return types.Typ[types.Int]
		})
		if err != nil {
			t.Fatal(err)
		}
		c, ok := SQLOf(source)
		if !ok || !strings.HasSuffix(source, c.Statements) {
			t.Errorf("%q: %+v", source, c)
		}
		lines := strings.Split(e.Source, "\n")
		written := strings.Split(source, "\n")
		for _, v := range SQLVariables(c.Statements, func(string) types.Type { return tableTypes("sales") }) {
			line := strings.Count(source[:c.At+v.At], "\n")
			found := strings.Index(string([]rune(written[line])), v.Text) + len(v.Text) - len(v.Name())
			before := len([]rune(written[line][:found]))
			if got := string([]rune(lines[line])[before:]); !strings.HasPrefix(got, v.Name()) {
				t.Errorf("%q: %s is not at line %d, column %d of\n%s", source, v.Name(), line+1, before+1, e.Source)
			}
		}
	}
	e, err := Expand("%%sql :memory: as top\nselect * from $sales\n")
	if want := `Query(":memory:", "select * from $sales\n", "sales",`; err != nil || !strings.Contains(e.Source, want) {
		t.Errorf("%s, %v", e.Source, err)
	}
}
