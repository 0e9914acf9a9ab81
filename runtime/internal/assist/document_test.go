package assist

import (
	"go/types"
	"slices"
	"strings"
	"testing"
)

func TestMatchesHaveTheFirstSentenceOfTheirDocumentation(t *testing.T) {
	a := assistant(t, append(setup,
		"// Half halves x. It rounds down.\nfunc Half(x int) int { return x / 2 }\n\n// A Ship sails\n// the sea.\n//\n// It floats.\ntype Ship struct {\n\tName string // of the ship\n}\n\n// Sail sails on.\nfunc (s *Ship) Sail() {}",
		"// total counts them.\nvar total = 3\nship := &Ship{}")...)
	for _, c := range []struct{ code, text, doc string }{
		{"math.Sqr|", "Sqrt", "Sqrt returns the square root of x."},
		{"math.MaxInt8|", "MaxInt8", "Integer limit values."},
		{"import \"bytes\"\nvar b bytes.Buffer\nb.Wri|", "WriteString", "WriteString appends the contents of s to the buffer, growing the buffer as needed."},
		{"import \"net/http\"\nvar c http.Client\nc.Timeo|", "Timeout", "Timeout specifies a time limit for requests made by this Client."},
		{"strin|", "strings", "Package strings implements simple functions to manipulate UTF-8 encoded strings."},
		{"encoding/js|", "json", "Package json implements encoding and decoding of JSON as defined in RFC 7159."},
		{"le|", "len", "len returns the number of bytes of a string, of elements of an array, slice or channel, or of entries of a map."},
		{"Hal|", "Half", "Half halves x."},
		{"Shi|", "Ship", "A Ship sails the sea."},
		{"ship.Sa|", "Sail", "Sail sails on."},
		{"tota|", "total", "total counts them."},
		{"// here is local.\nfunc here() {}\nher|", "here", "here is local."},
		{"fun|", "func", ""},
		{"shi|", "ship", ""},
	} {
		code, at := cursor(c.code)
		got := a.Complete(code, at).Matches
		if i := slices.IndexFunc(got, func(m Match) bool { return m.Text == c.text }); i < 0 || got[i].Doc != c.doc {
			t.Errorf("%q does not offer %s with %q, but %+v", c.code, c.text, c.doc, got)
		}
	}
}

func TestFirstSentencesEndWhereReadersStop(t *testing.T) {
	for comment, want := range map[string]string{
		"":                                  "",
		"F does it.":                        "F does it.",
		"F does\nit. And more.":             "F does it.",
		"F does it\n\nand more.":            "F does it",
		"F knows some, e.g. this. Not all.": "F knows some, e.g. this.",
		"F is of J. Doe. More.":             "F is of J. Doe.",
		"F is 1.5 times (more). Or less.":   "F is 1.5 times (more).",
	} {
		if got := firstSentence(comment); got != want {
			t.Errorf("%q begins with %q, want %q", comment, got, want)
		}
	}
}

func TestAllPredeclaredNamesAreDocumented(t *testing.T) {
	a := assistant(t, setup...)
	known := map[string]bool{}
	for _, name := range types.Universe.Names() {
		known[name] = true
		want := predeclared[name]
		if !strings.HasPrefix(want, name+" ") {
			t.Errorf("%s is documented by %q", name, want)
		}
		if got := a.Inspect(name, 1, 0); !strings.Contains(got.Plain, want) {
			t.Errorf("the inspection of %s says %q", name, got.Plain)
		}
	}
	for name := range predeclared {
		if !known[name] {
			t.Errorf("%s is documented and does not exist", name)
		}
	}
}

func TestOnlyTheBestOfVeryLongListsAreDocumented(t *testing.T) {
	code, at := cursor("import \"syscall\"\nsyscall.|")
	list := assistant(t, setup...).Complete(code, at).Matches
	if len(list) <= mostDocumented {
		t.Skip("package syscall is small on this platform")
	}
	documented := func(list []Match) bool { return slices.ContainsFunc(list, func(m Match) bool { return m.Doc != "" }) }
	if !documented(list[:mostDocumented]) || documented(list[mostDocumented:]) {
		t.Errorf("of %d matches others than the first %d are documented", len(list), mostDocumented)
	}
}
