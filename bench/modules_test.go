//go:build unix

package main

import (
	"os"
	"testing"
)

// library are programs that spend their time in a module, which cells run from source.
var library = []program{
	{"2,000 divisions of shopspring/decimal", "import \"github.com/shopspring/decimal\"",
		"sum := decimal.Zero; for i := int64(1); i <= int64(n); i++ { sum = sum.Add(decimal.NewFromInt(i).Div(decimal.NewFromInt(i + 7))) }; return int(sum.IntPart())", "", 2000},
	{"2.5 kB of Markdown with yuin/goldmark", "import (\"bytes\"; \"github.com/yuin/goldmark\")\n" +
		"var text = []byte(strings.Repeat(\"# Title of *a* section\\n\\nSome **bold** text with a [link](https://example.com/x) and `code`.\\nAnother line with <b>html</b> & an entity &amp; more.\\n\\n- one\\n- two\\n  - three\\n\\n> a quote\\n\\n```go\\nfunc main() {}\\n```\\n\\n\", 13)[:2500])",
		"var b bytes.Buffer; if err := goldmark.Convert(text, &b); err != nil { panic(err) }; return b.Len()", "", 1},
	{"4 kB of YAML with go.yaml.in/yaml", "import \"go.yaml.in/yaml/v3\"\n" +
		"var text = []byte(strings.Repeat(\"- name: item\\n  price: 3.25\\n  tags: [a, b, \\\"c d\\\"]\\n  nested:\\n    key: value\\n    list:\\n      - 1\\n      - 2\\n    flag: true\\n\", 36))",
		"var v []any; if err := yaml.Unmarshal(text, &v); err != nil { panic(err) }; return len(v)", "", 1},
}

// modules are the modules that programs import, by name of the program.
var modules = map[string]string{
	library[0].name: "github.com/shopspring/decimal@v1.4.0",
	library[1].name: "github.com/yuin/goldmark@v1.7.8",
	library[2].name: "go.yaml.in/yaml/v3@v3.0.4",
}

// BenchmarkModules measures work of modules that cells run from source, next to the same modules
// compiled. It needs the modules in the module cache, or the network.
//
//	go test ./bench -run none -bench Modules -benchtime 1x
func BenchmarkModules(b *testing.B) {
	for range b.N {
		table, err := sideBySide(b, library, noSide{})
		if err != nil {
			b.Fatal(err)
		}
		table.print(os.Stdout, "ms per program", func(program) float64 { return 1e6 })
	}
}
