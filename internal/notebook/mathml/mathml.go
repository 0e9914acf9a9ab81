// Package mathml converts LaTeX formulas to MathML, which browsers render without a script. Package
// formula parses them and defines the supported subset of LaTeX; an unsupported construct is an
// error that names it.
//
//	markup, err := mathml.Convert(`\frac{1}{\sqrt{2\pi}} e^{-x^2/2}`, true)
package mathml

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"gosphere/plotting/formula"
)

// Convert returns the math element for a formula, as a block if display is set.
func Convert(text string, display bool) (string, error) {
	tree, err := formula.Parse(text)
	if err != nil {
		return "", fmt.Errorf("mathml: %w in $%s$", err, text)
	}
	kind := ""
	if display {
		kind = ` display="block"`
	}
	return `<math xmlns="http://www.w3.org/1998/Math/MathML"` + kind + `>` + writer{display}.markup(tree) + `</math>`, nil
}

// A writer converts trees. In displayed formulas limits are below and above operators.
type writer struct{ display bool }

// markup returns a tree as one element.
func (w writer) markup(tree formula.Node) string {
	switch n := tree.(type) {
	case formula.Row:
		var parts []string
		for i, piece := range n {
			if i > 0 && apart(n[i-1], piece) {
				parts = append(parts, thin)
			}
			parts = append(parts, w.markup(piece))
		}
		return element("mrow", parts...)
	case formula.Letter:
		if n.Font != "" {
			return `<mi mathvariant="normal">` + html.EscapeString(styled(n.Text, n.Font)) + "</mi>"
		}
		return element("mi", html.EscapeString(n.Text))
	case formula.Number:
		return element("mn", styled(n.Text, n.Font))
	case formula.Sign:
		return operator(string(n))
	case formula.Large:
		return `<mo largeop="true">` + string(n) + "</mo>"
	case formula.Function:
		return element("mrow", element("mi", string(n)), application)
	case formula.Name:
		return element("mrow", `<mi mathvariant="normal">`+html.EscapeString(string(n))+"</mi>", application)
	case formula.Words:
		return element("mtext", strings.ReplaceAll(html.EscapeString(string(n)), " ", "\u00a0"))
	case formula.Space:
		return `<mspace width="` + ems(float64(n)) + `"/>`
	case formula.Bracket:
		size := ems(n.Size)
		return `<mo stretchy="true" minsize="` + size + `" maxsize="` + size + `">` + html.EscapeString(n.Sign) + "</mo>"
	case formula.Phantom:
		return element("mphantom", w.markup(n.Inner))
	case formula.Negated:
		return strings.Replace(w.markup(n.Inner), "</mo>", "\u0338</mo>", 1)
	}
	return w.arranged(tree)
}

// thin is the space between a function and its neighbors, which browsers do not add.
const thin = `<mspace width="0.167em"/>`

// apart reports whether there is space between two parts: a function is separated from letters,
// numbers and other functions, but not from operators or a bracket after it.
func apart(left, right formula.Node) bool {
	switch {
	case isFunction(left):
		_, sign := right.(formula.Sign)
		_, space := right.(formula.Space)
		return !sign && !space
	case !isFunction(right):
		return false
	}
	if scripted, ok := left.(formula.Scripted); ok {
		left = scripted.Base // a large operator has its own space
	}
	switch left := left.(type) {
	case formula.Letter, formula.Number, formula.Fraction, formula.Root, formula.Fenced, formula.Accent, formula.Row:
		return true
	case formula.Sign:
		return strings.Contains(")]}!", string(left))
	}
	return false
}

// isFunction reports whether a part is an upright name, possibly with indices.
func isFunction(piece formula.Node) bool {
	if scripted, ok := piece.(formula.Scripted); ok {
		piece = scripted.Base
	}
	switch piece.(type) {
	case formula.Function, formula.Name:
		return true
	}
	return false
}

// application is the invisible operator between a function and its argument.
const application = "<mo>&#8289;</mo>"

// arranged returns the MathML of a node that contains others, such as a fraction or a root.
func (w writer) arranged(tree formula.Node) string {
	switch n := tree.(type) {
	case formula.Scripted:
		return w.scripted(n)
	case formula.Fraction:
		return w.fraction(n)
	case formula.Root:
		if n.Degree != nil {
			return element("mroot", w.markup(n.Under), w.markup(n.Degree))
		}
		return element("msqrt", w.markup(n.Under))
	case formula.Accent:
		return "<" + pick(n.Below, "munder", "mover") + ` accent="true">` + w.markup(n.Over) +
			`<mo stretchy="` + strconv.FormatBool(n.Grows) + `">` + n.Sign + "</mo></" + pick(n.Below, "munder", "mover") + ">"
	case formula.Fenced:
		return element("mrow", fence(n.Left), w.markup(n.Inner), fence(n.Right))
	case formula.Stacked:
		if n.Below != nil {
			return element("munder", w.markup(n.Base), w.markup(n.Below))
		}
		return element("mover", w.markup(n.Base), w.markup(n.Above))
	case formula.Table:
		return w.table(n)
	}
	return ""
}

// element returns an element with several children.
func element(name string, parts ...string) string {
	return "<" + name + ">" + strings.Join(parts, "") + "</" + name + ">"
}

func ems(width float64) string { return strconv.FormatFloat(width, 'g', -1, 64) + "em" }

func fence(sign string) string {
	return `<mo fence="true" stretchy="true">` + html.EscapeString(sign) + "</mo>"
}

// operator returns an operator with the space that it needs.
func operator(text string) string {
	switch text {
	case "|", "‖": // the left and right one of a pair are indistinguishable
		return `<mo stretchy="false" lspace="0" rspace="0">` + text + "</mo>"
	case ",", ";":
		return `<mo separator="true">` + text + "</mo>"
	case "(", ")", "[", "]":
		return `<mo stretchy="false">` + text + "</mo>"
	}
	return element("mo", html.EscapeString(text))
}

// scripted returns a part with its indices.
func (w writer) scripted(n formula.Scripted) string {
	under := n.Limits && w.display
	base := w.markup(n.Base)
	switch {
	case n.Above == nil:
		return element(pick(under, "munder", "msub"), base, w.markup(n.Below))
	case n.Below == nil:
		return element(pick(under, "mover", "msup"), base, w.markup(n.Above))
	}
	return element(pick(under, "munderover", "msubsup"), base, w.markup(n.Below), w.markup(n.Above))
}

func (w writer) fraction(n formula.Fraction) string {
	above, below := w.markup(n.Above), w.markup(n.Below)
	switch {
	case n.Binomial:
		return `<mrow><mo>(</mo><mfrac linethickness="0">` + above + below + "</mfrac><mo>)</mo></mrow>"
	case n.Size != "":
		return `<mstyle displaystyle="` + strconv.FormatBool(n.Size == "display") + `">` + element("mfrac", above, below) + "</mstyle>"
	}
	return element("mfrac", above, below)
}

// table returns an environment.
func (w writer) table(n formula.Table) string {
	if n.Name == "cases" || n.Name == "smallmatrix" {
		w.display = false
	}
	var rows strings.Builder
	for _, row := range n.Rows {
		rows.WriteString("<mtr>")
		for i, column := range row {
			side := "center"
			switch {
			case strings.HasPrefix(n.Name, "align") || n.Name == "split":
				side = pick(i%2 == 0, "right", "left")
			case n.Name == "cases":
				side = "left"
			}
			rows.WriteString(`<mtd style="text-align:` + side + `">` + w.markup(column) + "</mtd>")
		}
		rows.WriteString("</mtr>")
	}
	table := element("mtable", rows.String())
	if n.Left != "" {
		table = fence(n.Left) + table
	}
	if n.Right != "" {
		table += fence(n.Right)
	}
	return element("mrow", table)
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
