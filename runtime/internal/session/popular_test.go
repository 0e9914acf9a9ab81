package session

import (
	"strings"
	"testing"

	"gosphere/internal/testing/modulestest"
)

// Packages of popular modules need neither a requirement nor a network.
func TestPopularModulesAreInTheProgram(t *testing.T) {
	s, _ := moduleSession(t)
	compiledAs(t, map[string]string{"golang.org/x/crypto": "v0.51.0", "golang.org/x/net": "v0.54.0"})
	t.Setenv("GOPROXY", "off")
	t.Setenv("PATH", "")
	plays(t, s,
		[2]string{"import \"github.com/BurntSushi/toml\"\nvar c struct{ N int }\ntoml.Decode(\"n = 3\", &c)\nfmt.Print(c.N)", "3"},
		[2]string{"import \"gopkg.in/yaml.v3\"\nvar m map[string][]int\nyaml.Unmarshal([]byte(\"a: [1, 2]\"), &m)\nfmt.Print(m)", "map[a:[1 2]]"},
		[2]string{"import \"github.com/google/uuid\"\nfmt.Print(uuid.NewSHA1(uuid.NameSpaceDNS, []byte(\"go.dev\")).Version())", "VERSION_5"},
		[2]string{"import \"github.com/google/go-cmp/cmp\"\nimport \"github.com/google/go-cmp/cmp/cmpopts\"\ntype point struct{ X, Y float64 }\nfmt.Print(cmp.Equal(point{1, 2}, point{1, 2.001}, cmpopts.EquateApprox(0, 0.01)), cmp.Diff(point{1, 2}, point{1, 2}) == \"\")", "true true"},
		[2]string{"import \"golang.org/x/crypto/bcrypt\"\nh, _ := bcrypt.GenerateFromPassword([]byte(\"x\"), bcrypt.MinCost)\nfmt.Print(bcrypt.CompareHashAndPassword(h, []byte(\"x\")))", "<nil>"},
		[2]string{"import \"golang.org/x/net/html\"\ndoc, _ := html.Parse(strings.NewReader(\"<p>a<b>c\"))\nn := 0\nfor d := range doc.Descendants() { if d.Type == html.ElementNode { n++ } }\nfmt.Print(n)", "5"},
		[2]string{"import \"golang.org/x/net/html/charset\"\n_, name, _ := charset.DetermineEncoding([]byte(\"<meta charset=shift_jis>\"), \"\")\nfmt.Print(name)", "shift_jis"},
		[2]string{"import (\"golang.org/x/text/cases\"; \"golang.org/x/text/language\"; \"golang.org/x/text/message\"; \"golang.org/x/text/collate\")\nfmt.Print(cases.Title(language.Dutch).String(\"ijsland\"), message.NewPrinter(language.German).Sprint(1234567), collate.New(language.Swedish).CompareString(\"ö\", \"z\"))", "IJsland1.234.5671"},
		[2]string{"message.NewPrinter(language.German).Printf(\"%d\", 1234)", "1.234"},
		[2]string{"import (\"golang.org/x/exp/constraints\"; xmaps \"golang.org/x/exp/maps\"; xslices \"golang.org/x/exp/slices\")\nfunc least[T constraints.Ordered](a, b T) T { return min(a, b) }\nkeys := xmaps.Keys(map[string]int{\"b\": 1, \"a\": 2})\nxslices.Sort(keys)\nfmt.Print(keys, least(2, 1))", "[a b] 1"},
		// Names without an import mean the standard library.
		[2]string{"more := slices.Collect(maps.Keys(map[int]int{7: 1}))\nfmt.Print(more)", "[7]"},
		[2]string{"%modules", "compiled in; some from source, in the program\ngolang.org/x/crypto  v0.51.0"},
	)
}

// A compiled package is used for the version that a module requires, and the source of another.
func TestTheSourceOfAPopularModuleIsUsedForAnotherVersion(t *testing.T) {
	s, p := moduleSession(t)
	compiledAs(t, map[string]string{"github.com/google/uuid": "v1.6.0", "gopkg.in/yaml.v3": "v3.0.1"})
	p.Add("github.com/google/uuid", "v1.6.0", map[string]string{"u.go": "package uuid\nfunc Source() {}"})
	p.Add("gopkg.in/yaml.v3", "v3.0.0", map[string]string{"y.go": "package yaml\nfunc Marshal(any) ([]byte, error) { return []byte(\"from source\"), nil }"})
	p.Add("example.com/app", "v1.0.0", map[string]string{
		"go.mod": "module example.com/app\ngo 1.21\nrequire (\n\tgithub.com/google/uuid v1.6.0\n\tgopkg.in/yaml.v3 v3.0.0\n)",
		"a.go":   "package app\nimport (\"github.com/google/uuid\"; \"gopkg.in/yaml.v3\")\nfunc Text() string { b, _ := yaml.Marshal(1); return uuid.Nil.String() + string(b) }",
	})
	plays(t, s,
		[2]string{"%require example.com/app\nimport \"example.com/app\"\nfmt.Print(app.Text())", strings.Repeat("0", 8) + "-0000-0000-0000-000000000000from source"},
		[2]string{"%modules", "gopkg.in/yaml.v3"},
	)
	if s.library.loader.Package("github.com/google/uuid") != nil || s.library.loader.Package("gopkg.in/yaml.v3") == nil {
		t.Errorf("from source are %q", s.library.loader.Paths())
	}
}

// A module that uses golang.org/x/exp/maps does not change what maps means in cells.
func TestNamesMeanTheStandardLibraryBesidePackagesFromSource(t *testing.T) {
	p := modulestest.New(t)
	p.Use()
	t.Chdir(t.TempDir())
	p.Add("example.com/maps", "v1.0.0", map[string]string{"m.go": "package maps\nfunc Keys[K comparable, V any](m map[K]V) []K { return nil }"})
	p.Add("example.com/user", "v1.0.0", map[string]string{"go.mod": "module example.com/user\ngo 1.21\nrequire example.com/maps v1.0.0", "u.go": "package user\nimport \"example.com/maps\"\nvar N = len(maps.Keys(map[int]int{}))"})
	s := newTestSession(t)
	t.Cleanup(s.Close)
	plays(t, s,
		[2]string{"%require example.com/user\nimport \"example.com/user\"\nfmt.Print(user.N)", "0"},
		[2]string{"for k := range maps.Keys(map[int]int{7: 1}) { fmt.Print(k) }", "7"},
	)
}
