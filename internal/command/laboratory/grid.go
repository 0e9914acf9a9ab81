package laboratory

import (
	"strings"
	"unicode/utf8"

	"gosphere/asymvlm/embedding"
)

// A grid is a table of strings.
type grid struct {
	header []string
	rows   [][]string
	ranks  map[[2]int]int // 1 for the best and 2 for the second best cells, by row and column
}

// A renderer writes paragraphs and grids in one format.
type renderer struct {
	paragraph func(text *strings.Builder, sentences ...string)
	grid      func(text *strings.Builder, g grid)
}

// renderers are the table formats for readers.
var renderers = map[string]renderer{
	"text":     {plainParagraph, plainGrid},
	"markdown": {markdownParagraph, markdownGrid},
	"latex":    {latexParagraph, latexGrid},
}

// plainParagraph writes one sentence per line.
func plainParagraph(text *strings.Builder, sentences ...string) {
	for _, sentence := range sentences {
		text.WriteString(sentence + "\n")
	}
	text.WriteString("\n")
}

// plainGrid aligns the first column to the left and the others to the right.
func plainGrid(text *strings.Builder, g grid) {
	widths := make([]int, len(g.header))
	lines := append([][]string{g.header}, g.rows...)
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		for i, cell := range line {
			blank := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				text.WriteString(cell + blank)
			} else {
				text.WriteString("  " + blank + cell)
			}
		}
		text.WriteString("\n")
	}
	text.WriteString("\n")
}

// markdownParagraph writes several sentences as a list.
func markdownParagraph(text *strings.Builder, sentences ...string) {
	for _, sentence := range sentences {
		if len(sentences) > 1 {
			text.WriteString("- ")
		}
		text.WriteString(sentence + "\n")
	}
	text.WriteString("\n")
}

// markdownGrid writes a table for GitHub and Jupyter.
func markdownGrid(text *strings.Builder, g grid) {
	line := func(cells []string) {
		escaped := make([]string, len(cells))
		for i, cell := range cells {
			escaped[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		text.WriteString("| " + strings.Join(escaped, " | ") + " |\n")
	}
	line(g.header)
	text.WriteString("|" + " --- |" + strings.Repeat(" ---: |", len(g.header)-1) + "\n")
	for _, row := range g.rows {
		line(row)
	}
	text.WriteString("\n")
}

// latexSigns escapes characters that are special in LaTeX, and replaces those that its usual fonts
// lack.
var latexSigns = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "_", `\_`, "#", `\#`, "$", `\$`,
	"{", `\{`, "}", `\}`, "±", `$\pm$`, "−", "$-$", "κ", `$\kappa$`, "–", "--", "…", `\dots{}`, "R2", "$R^2$", "→", `$\to$`, "σ", `$\sigma$`, "ε", `$\varepsilon$`, "⊂", `$\subset$`, "†", `$^\dagger$`, "‡", `$^\ddagger$`)

// latexParagraph writes sentences before or after a table.
func latexParagraph(text *strings.Builder, sentences ...string) {
	for _, sentence := range sentences {
		text.WriteString(latexSigns.Replace(sentence) + "\n")
	}
	text.WriteString("\n")
}

// emphasized returns a cell in bold type if it is the best of its column, and underlined if it is
// the second best.
func emphasized(cell string, rank int) string {
	switch rank {
	case 1:
		return `\textbf{` + cell + "}"
	case 2:
		return `\underline{` + cell + "}"
	}
	return cell
}

// latexGrid writes a tabular with the rules of package booktabs.
func latexGrid(text *strings.Builder, g grid) {
	emphasis := func(_ int, cell string) string { return cell }
	line := func(cells []string) {
		escaped := make([]string, len(cells))
		for i, cell := range cells {
			escaped[i] = latexSigns.Replace(cell)
			if strings.HasPrefix(cell, "-") || strings.HasPrefix(cell, "+") {
				escaped[i] = strings.Replace(escaped[i], cell[:1], "$"+cell[:1]+"$", 1)
			}
			escaped[i] = emphasis(i, escaped[i])
		}
		text.WriteString(strings.Join(escaped, " & ") + ` \\` + "\n")
	}
	text.WriteString(`\begin{tabular}{l` + strings.Repeat("r", len(g.header)-1) + "}\n\\toprule\n")
	line(g.header)
	text.WriteString("\\midrule\n")
	for r, row := range g.rows {
		emphasis = func(column int, cell string) string { return emphasized(cell, g.ranks[[2]int{r, column}]) }
		line(row)
	}
	text.WriteString("\\bottomrule\n\\end{tabular}\n\n")
}

// A Grid is a table for readers. Ranks holds 1 for the best and 2 for the second best cells, by row
// and column; it may be nil.
type Grid struct {
	Header []string
	Rows   [][]string
	Ranks  map[[2]int]int
}

// Write writes the table and its notes in a format for readers: text, markdown or latex.
func (g Grid) Write(text *strings.Builder, format string, notes ...string) {
	write := renderers[format]
	write.grid(text, grid{header: g.Header, rows: g.Rows, ranks: g.Ranks})
	if len(notes) > 0 {
		write.paragraph(text, notes...)
	}
}

// ReadSet reads a split of a built-in data set, or of one in a folder of embeddings, into memory.
// An empty split is that for evaluation.
func ReadSet(embeddings, dataset, split string) (*embedding.Set, error) {
	set, err := readDataset(embeddings, dataset, split)
	if err == nil && set.IsStored() {
		set, err = set.Load()
	}
	return set, err
}
