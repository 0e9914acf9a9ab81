package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
)

// dependencies returns the table of modules.
func dependencies(modules []*module) []byte {
	var b bytes.Buffer
	b.WriteString("# Modules that go.mod requires, made by `go run ./install/licenses/generate`.\n" +
		"# \"binary\" is linked into the program on at least one platform, \"tests and tools\" is not\n" +
		"# distributed, \"not compiled\" is in go.mod only to settle versions.\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, m := range modules {
		relation := "indirect"
		if m.direct {
			relation = "direct"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.path, m.version, relation, m.use, m.names())
	}
	w.Flush()
	return b.Bytes()
}

// credits are required by parts of modules whose license files do not mention them.
const credits = `The palettes of gonum.org/v1/plot/palette/brewer include color specifications and
designs developed by Cynthia Brewer (http://colorbrewer.org/).
`

// notice returns the attribution text for everything in the binary. A text shared verbatim by
// several modules is included once, below all their names.
func notice(modules []*module) []byte {
	type block struct {
		owners []string
		text   string
	}
	var blocks []*block
	byText := map[string]*block{}
	for _, m := range modules {
		if m.use != inBinary {
			continue
		}
		for _, l := range m.licenses {
			text := strings.Trim(l.text, "\n")
			if byText[text] == nil {
				byText[text] = &block{text: text}
				blocks = append(blocks, byText[text])
			}
			owner := fmt.Sprintf("%s %s (%s)", m.path, m.version, l.file)
			byText[text].owners = append(byText[text].owners, owner)
		}
	}
	var b bytes.Buffer
	b.WriteString("The gosphere binary contains the following works of others. Their terms and\n" +
		"credits are reproduced below. Made by `go run ./install/licenses/generate`.\n\n" + credits)
	for _, block := range blocks {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 78), strings.Join(block.owners, "\n"), block.text)
	}
	return b.Bytes()
}
