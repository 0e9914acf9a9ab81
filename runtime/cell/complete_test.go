package cell

import "testing"

func TestIsCompleteAnswersAsTheConsoleNeeds(t *testing.T) {
	cases := []struct {
		source string
		status Status
		indent string
	}{
		{"1 + 2", Complete, ""},
		{"x := 1", Complete, ""},
		{"func f() {", Incomplete, "\t"},
		{"func f() {\n\tg(1)", Incomplete, "\t"},
		{"func f() {\n\tx[0]++", Incomplete, "\t"},
		{"for i := 0; i < 3; i++ {", Incomplete, "\t"},
		{"fmt.Println(", Incomplete, "\t"},
		{"func f() int {\n\treturn 1\n}", Complete, ""},
		{"s := `abc", Incomplete, ""},
		{"s := \"abc", Invalid, ""},
		{"if x > 1 {\n} else {", Incomplete, "\t"},
		{"/* comment", Incomplete, ""},
		{"// comment", Complete, ""},
		{"x := 1 +", Incomplete, "\t"},
		{"}", Invalid, ""},
		{"a b c d", Invalid, ""},
		{"import (\n\"fmt\"", Incomplete, "\t"},
		{"type T struct {", Incomplete, "\t"},
		{"x := []int{1,\n2,", Incomplete, "\t"},
		{"", Complete, ""},
		{"\n  \n", Complete, ""},
		{"x.", Incomplete, "\t"},
		{"for i := 0; i < 3; i++ {\n\tif i > 1 {", Incomplete, "\t\t"},
		{"func (t T) M() {\n", Incomplete, "\t"},
		{"fmt.Println(1,\n", Incomplete, "\t"},
		{"x := 1 + // more\n", Incomplete, "\t"},
		{"s := `a\nb`", Complete, ""},
		{"foo(1))", Invalid, ""},
		{"foo(1]", Invalid, ""},
		{"if x {\n}\nelse {\n}", Invalid, ""},
		{"c := 'ab'", Invalid, ""},
		{"loop:\nfor {\n\tbreak loop\n}", Complete, ""},
		{"switch x {\ncase 1:", Incomplete, "\t"},
		{"x :=", Incomplete, "\t"},
		{"var", Incomplete, ""},
		{"package main\nfunc main() {}", Complete, ""},
		{"import \"C\"", Invalid, ""},
		{"func f(a int,", Incomplete, "\t"},
		{"go func() {", Incomplete, "\t"},
		{"m := map[string]int{\n\t\"a\": 1,\n}", Complete, ""},
	}
	for _, c := range cases {
		if status, indent := IsComplete(c.source); status != c.status || indent != c.indent {
			t.Errorf("IsComplete(%q) = %s, %q, want %s, %q", c.source, status, indent, c.status, c.indent)
		}
	}
}
