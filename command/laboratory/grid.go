package laboratory

import (
	"strings"
	"unicode/utf8"
)

// A grid is a table of texts.
type grid struct {
	header []string
	rows   [][]string
}

// A renderer writes paragraphs and grids in one format.
type renderer struct {
	paragraph func(text *strings.Builder, sentences ...string)
	grid      func(text *strings.Builder, g grid)
}

// renderers are the formats of tables for readers.
var renderers = map[string]renderer{
	"text":     {plainParagraph, plainGrid},
	"markdown": {markdownParagraph, markdownGrid},
	"latex":    {latexParagraph, latexGrid},
}

// plainParagraph gives every sentence a line.
func plainParagraph(text *strings.Builder, sentences ...string) {
	for _, sentence := range sentences {
		text.WriteString(sentence + "\n")
	}
	text.WriteString("\n")
}

// plainGrid lines columns up, the first to the left and the others to the right.
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

// markdownParagraph makes a list of several sentences.
func markdownParagraph(text *strings.Builder, sentences ...string) {
	for _, sentence := range sentences {
		if len(sentences) > 1 {
			text.WriteString("- ")
		}
		text.WriteString(sentence + "\n")
	}
	text.WriteString("\n")
}

// markdownGrid is a table as GitHub and Jupyter show it.
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

// latexSigns are the characters that mean something to LaTeX, and those that its usual fonts lack.
var latexSigns = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "_", `\_`, "#", `\#`, "$", `\$`,
	"{", `\{`, "}", `\}`, "±", `$\pm$`, "−", "$-$", "κ", `$\kappa$`, "–", "--", "…", `\dots{}`, "R2", "$R^2$", "→", `$\to$`, "σ", `$\sigma$`, "ε", `$\varepsilon$`, "⊂", `$\subset$`)

// latexParagraph puts sentences before or behind a table.
func latexParagraph(text *strings.Builder, sentences ...string) {
	for _, sentence := range sentences {
		text.WriteString(latexSigns.Replace(sentence) + "\n")
	}
	text.WriteString("\n")
}

// latexGrid is a tabular with the rules of the package booktabs.
func latexGrid(text *strings.Builder, g grid) {
	line := func(cells []string) {
		escaped := make([]string, len(cells))
		for i, cell := range cells {
			escaped[i] = latexSigns.Replace(cell)
			if strings.HasPrefix(cell, "-") || strings.HasPrefix(cell, "+") {
				escaped[i] = strings.Replace(escaped[i], cell[:1], "$"+cell[:1]+"$", 1)
			}
		}
		text.WriteString(strings.Join(escaped, " & ") + ` \\` + "\n")
	}
	text.WriteString(`\begin{tabular}{l` + strings.Repeat("r", len(g.header)-1) + "}\n\\toprule\n")
	line(g.header)
	text.WriteString("\\midrule\n")
	for _, row := range g.rows {
		line(row)
	}
	text.WriteString("\\bottomrule\n\\end{tabular}\n\n")
}
