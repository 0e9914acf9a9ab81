package difference

import (
	"regexp"
	"testing"
)

func TestProgramsHaveFormsWithPartsLeftOut(t *testing.T) {
	wanted := map[string]*regexp.Regexp{
		"for with an init alone":            regexp.MustCompile(`\n\tfor \w+ := [^;\n]+; ; +\{`),
		"for with an assignment alone":      regexp.MustCompile(`\n\tfor \w+ = [^;\n]+; ; +\{`),
		"for without condition":             regexp.MustCompile(`\n\tfor [^;\n]*; ; \w+\+\+ \{`),
		"default clause before another":     regexp.MustCompile(`\tdefault:\n\t\tfmt.Println\(\d+, c\d+\)\n\tcase`),
		"count of a shift with parentheses": regexp.MustCompile(`(<<|>>) \(\(?s\d+ [-^%*&] \(s\d+`),
		"constants of a type":               regexp.MustCompile(`const \(\n\tk\d+_0000 E\d+_0000 = `),
		"init":                              regexp.MustCompile(`func init\(\) \{ g\d+_0000\[`),
		"function variable":                 regexp.MustCompile(`\n\tp\d+ := id_0000\[int\]\n`),
		"pointer to pointer":                regexp.MustCompile(`\*\*\*ppp = `),
		"characters":                        regexp.MustCompile(`for _, r := range s\d+ \{`),
	}
	for seed := range uint64(1200) {
		source := Generate(seed, mark(0))
		for name, form := range wanted {
			if form.MatchString(source) {
				delete(wanted, name)
			}
		}
		if len(wanted) == 0 {
			return
		}
	}
	for name := range wanted {
		t.Errorf("no program has this: %s", name)
	}
}
