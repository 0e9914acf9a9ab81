package export

import (
	"strings"
	"unicode/utf8"

	"gosphere/kernel/nbformat"
)

// Capacity of a slide of the default size, in lines of text and characters per line. A figure
// counts as the given number of lines, or none if it is next to its code. A slide holds more lines
// of code alone, which may be in smaller type; longer code is continued on further slides.
const (
	slideLines   = 18
	lineLetters  = 85
	figureLines  = 12
	headingLines = 2
	sourceLines  = 30
)

// A packer distributes content over slides.
type packer struct {
	slides  []*slide
	used    int    // lines used on the last slide
	running string // heading that the next slide repeats
	bare    bool   // the last slide has only a heading
}

// begin starts a slide.
func (p *packer) begin() {
	p.slides = append(p.slides, &slide{running: p.running, title: len(p.slides) == 0})
	p.used, p.bare = 0, false
}

// add appends content to the last slide, or starts a new one if it does not fit. A heading is
// always followed by content on the same slide.
func (p *packer) add(lines int, markup string) {
	if len(p.slides) == 0 || p.used > 0 && p.used+lines > slideLines && !p.bare {
		p.begin()
	}
	p.slides[len(p.slides)-1].body.WriteString(markup)
	p.used += lines
	p.bare = false
}

// slidesByRoom starts a slide at each heading, and whenever the next content does not fit.
func slidesByRoom(notebook *nbformat.Notebook, options Options) ([]*slide, error) {
	p := &packer{}
	for _, cell := range notebook.Cells {
		pack := p.code
		if cell.Type == nbformat.Markdown {
			pack = p.text
		}
		if err := pack(cell, options); err != nil {
			return nil, err
		}
	}
	if len(p.slides) == 0 {
		p.begin()
	}
	p.slides[0].title = p.slides[0].title && strings.HasPrefix(firstText(notebook), "# ")
	return p.slides, nil
}

// text adds a text cell.
func (p *packer) text(cell *nbformat.Cell, options Options) error {
	for _, block := range blocks(cell.Source) {
		heading, level := headingOf(block)
		if level > 0 && level <= 3 {
			if p.running = ""; p.used > 0 || len(p.slides) == 0 {
				p.begin()
			}
			p.running = heading
		}
		part := *cell
		part.Source = block
		markup, err := markdownHTML(&part, options)
		if err != nil {
			return err
		}
		p.add(textLines(block), "<section class=\"text\">\n"+markup+"</section>\n")
		p.bare = level > 0 && !strings.Contains(block, "\n")
	}
	return nil
}

// code adds a code cell. Long code is split, and its outputs follow on another slide.
func (p *packer) code(cell *nbformat.Cell, options Options) error {
	source, outputs, figures := cellLines(cell, options)
	if source > sourceLines || source > 24 && figures > 0 {
		for _, part := range cutCode(cell.Source, sourceLines) {
			p.add(1+strings.Count(part, "\n"), "<section class=\"code\">\n"+codeHTML(part)+"</section>\n")
		}
		rest := *cell
		rest.Source, cell, source = "", &rest, 0
	}
	lines := source + outputs + figures
	if figures > 0 && source > 0 { // they are side by side
		lines = max(source, figures+outputs)
	}
	if lines <= sourceLines {
		return p.cell(lines, cell, options)
	}
	if source > 0 { // each output may start a slide
		alone := *cell
		alone.Outputs = nil
		if err := p.cell(source, &alone, options); err != nil {
			return err
		}
	}
	for first := 0; first < len(cell.Outputs); {
		end := first + 1
		for end < len(cell.Outputs) && introduces(&cell.Outputs[end-1]) {
			end++
		}
		one := *cell
		one.Source, one.Outputs, first = "", cell.Outputs[first:end], end
		_, outputs, figures := cellLines(&one, options)
		if err := p.cell(outputs+figures, &one, options); err != nil {
			return err
		}
	}
	return nil
}

// introduces reports whether an output is a short text, or a heading followed by one, that
// introduces the next output.
func introduces(o *nbformat.Output) bool {
	text := strings.TrimSpace(textOf(o, "text/markdown"))
	if _, level := headingOf(text); level > 0 {
		return textLines(text) <= slideLines/3
	}
	return text != "" && strings.Count(text, "\n") < headingLines
}

// cell adds a cell, or the rest of one, to a slide.
func (p *packer) cell(lines int, cell *nbformat.Cell, options Options) error {
	if lines == 0 {
		return nil
	}
	markup, err := cellHTML(cell, options)
	if err == nil {
		p.add(lines, markup)
	}
	return err
}

// cutCode splits a source at empty lines, or at any line if there are none, into parts of at most
// the given number of lines.
func cutCode(source string, most int) (parts []string) {
	var part []string
	flush := func(lines []string) {
		if text := strings.Trim(strings.Join(lines, "\n"), "\n"); strings.TrimSpace(text) != "" {
			parts = append(parts, text)
		}
	}
	for line := range strings.SplitSeq(strings.Trim(source, "\n"), "\n") {
		part = append(part, line)
		if len(part) <= most {
			continue
		}
		end := most
		for i := most; i > most/3; i-- {
			if strings.TrimSpace(part[i]) == "" && strings.Count(strings.Join(part[:i], "\n"), "`")%2 == 0 {
				end = i
				break
			}
		}
		flush(part[:end])
		part = part[end:]
	}
	flush(part)
	return parts
}

// firstText returns the source of the first cell.
func firstText(notebook *nbformat.Notebook) string {
	if len(notebook.Cells) == 0 {
		return ""
	}
	return notebook.Cells[0].Source
}

// blocks splits a text at headings and empty lines, outside code and displayed formulas. Indented
// text stays with the text above it, and so do the items of a list.
func blocks(source string) (list []string) {
	var block []string
	fence, formula := "", false
	flush := func() {
		if text := strings.TrimSpace(strings.Join(block, "\n")); text != "" {
			list = append(list, text)
		}
		block = nil
	}
	empty := false
	for line := range strings.SplitSeq(source, "\n") {
		trimmed := strings.TrimSpace(line)
		_, level := headingOf(line)
		switch inside := fence != "" || formula; {
		case !inside && level > 0:
			flush()
		case !inside && empty && trimmed != "" && line[0] != ' ' && line[0] != '\t' && !(isItem(trimmed) && len(block) > 0 && isItem(block[0])):
			flush()
		}
		empty = trimmed == "" && fence == "" && !formula
		block = append(block, line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		case strings.Count(line, "$$")%2 == 1:
			formula = !formula
		}
	}
	flush()
	return joinHeadings(list)
}

// joinHeadings joins each heading with the block below it, so that no slide ends with a heading.
func joinHeadings(list []string) (joined []string) {
	for _, block := range list {
		if n := len(joined); n > 0 {
			if _, level := headingOf(joined[n-1]); level > 0 && !strings.Contains(joined[n-1], "\n") {
				if _, next := headingOf(block); next == 0 {
					joined[n-1] += "\n\n" + block
					continue
				}
			}
		}
		joined = append(joined, block)
	}
	return joined
}

// headingOf returns the text and level of a heading in the first line of a block; the level is 0 if
// there is none.
func headingOf(block string) (text string, level int) {
	line, _, _ := strings.Cut(block, "\n")
	level = len(line) - len(strings.TrimLeft(line, "#"))
	if level == 0 || level > 6 || !strings.HasPrefix(line[level:], " ") {
		return "", 0
	}
	return strings.TrimSpace(strings.NewReplacer("**", "", "`", "", "$", "", `\`, "").Replace(line[level:])), level
}

// isItem reports whether a line begins a list item.
func isItem(line string) bool {
	number := strings.TrimLeft(line, "0123456789")
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "| ") ||
		len(number) < len(line) && strings.HasPrefix(number, ". ")
}

// textLines estimates the number of lines of a text on a slide.
func textLines(source string) int {
	lines := 0
	for line := range strings.SplitSeq(source, "\n") {
		switch _, level := headingOf(line); {
		case level > 0:
			lines += headingLines
		case strings.Contains(line, "!["):
			lines += figureLines
		case strings.Contains(line, "$$"):
			lines += 2
		}
	}
	for paragraph := range strings.SplitSeq(source, "\n\n") {
		lines += 1 + utf8.RuneCountInString(paragraph)/lineLetters
	}
	return lines
}

// cellLines estimates the number of lines of a code cell: of its source, of its outputs without
// figures, and the number of figures.
func cellLines(cell *nbformat.Cell, options Options) (source, outputs, figures int) {
	if text := strings.TrimSpace(cell.Source); text != "" && !options.HideCode && cell.Type == nbformat.Code {
		source = 2 + strings.Count(text, "\n")
		if isFolded(cell) {
			source = 2
		}
	}
	for i := range cell.Outputs {
		o := &cell.Outputs[i]
		switch {
		case isPicture(o):
			figures += figureLines
		case textOf(o, "text/html") != "":
			outputs += 1 + strings.Count(textOf(o, "text/html"), "<tr")
		default:
			outputs += 1 + strings.Count(strings.TrimSpace(o.Text+textOf(o, "text/plain")), "\n")
		}
	}
	return source, outputs, figures
}

// isPicture reports whether an output is a picture.
func isPicture(o *nbformat.Output) bool {
	if textOf(o, "image/svg+xml") != "" {
		return true
	}
	for _, kind := range pictureKinds {
		if textOf(o, kind) != "" {
			return true
		}
	}
	return false
}
