// Package formula reads formulas of LaTeX into trees, for those who write them as MathML (internal/notebook/mathml) or draw them in
// figures (plotting/figure).
//
// It knows the part of LaTeX's mathematics that notebooks use: letters, operators, fractions, roots, indices, accents, fonts,
// brackets that grow, matrices, cases and aligned lines. A formula with anything else is an error that names it.
//
// Read formula.go (the trees), then parser.go (letters, groups and indices), command.go and tables.go.
//
//	tree, err := formula.Parse(`\frac{1}{\sqrt{2\pi}} e^{-x^2/2}`)
package formula

import "strings"

// A Node is a piece of a formula: one of the types below.
type Node interface{ node() }

// A Row is pieces beside each other. A row of one piece is never in a tree: the piece stands for it.
type Row []Node

// A Letter is an identifier: one letter, or several that stand together in one font.
type Letter struct {
	Text string
	Font Font
}

// A Number is digits, with a decimal point perhaps.
type Number struct {
	Text string
	Font Font
}

// A Sign is an operator, a relation, a bracket or punctuation, as mathematics writes it: "−" and not "-".
type Sign string

// A Large is an operator that grows in displayed formulas, such as "∑".
type Large string

// A Function is a name that is set upright, such as "log".
type Function string

// Words are text inside of a formula, blanks and all.
type Words string

// A Name is what \operatorname takes: upright, and a function.
type Name string

// A Space is a blank, in ems; it may be negative.
type Space float64

// A Scripted is a piece with what stands below and above at its right, nil for nothing. Limits stand below and above the piece
// itself in displayed formulas.
type Scripted struct {
	Base, Below, Above Node
	Limits             bool
}

// A Fraction has one piece above another.
type Fraction struct {
	Above, Below Node
	Size         string // "text" for \tfrac, "display" for \dfrac
	Binomial     bool   // round brackets, and no rule
}

// A Root has a piece under it; its degree is nil for square roots.
type Root struct{ Degree, Under Node }

// An Accent is a sign above a piece, or below it.
type Accent struct {
	Name  string // that of its command
	Sign  string
	Over  Node
	Below bool // the sign is below
	Grows bool // it is as wide as the piece
}

// A Bracket has a fixed height, in ems.
type Bracket struct {
	Sign string
	Size float64
}

// A Fenced piece stands between brackets as high as itself; "" is none.
type Fenced struct {
	Left, Right string
	Inner       Node
}

// A Stacked piece has another one above it or below it.
type Stacked struct{ Base, Above, Below Node }

// A Negated sign is struck through.
type Negated struct{ Inner Node }

// A Phantom takes room and does not show.
type Phantom struct{ Inner Node }

// A Table is what an environment holds, row by row.
type Table struct {
	Name        string // "pmatrix", "cases", "aligned" …
	Left, Right string // its brackets; "" for none
	Rows        [][]Node
}

func (Row) node()      {}
func (Letter) node()   {}
func (Number) node()   {}
func (Sign) node()     {}
func (Large) node()    {}
func (Function) node() {}
func (Words) node()    {}
func (Name) node()     {}
func (Space) node()    {}
func (Scripted) node() {}
func (Fraction) node() {}
func (Root) node()     {}
func (Accent) node()   {}
func (Bracket) node()  {}
func (Fenced) node()   {}
func (Stacked) node()  {}
func (Negated) node()  {}
func (Phantom) node()  {}
func (Table) node()    {}

// A Font is that of letters and digits; "" is the usual one, italic for letters.
type Font string

// The fonts.
const (
	Upright    Font = "upright"
	Bold       Font = "bold"
	BoldItalic Font = "bold italic"
	Italic     Font = "italic"
	Sans       Font = "sans"
	Mono       Font = "mono"
	Double     Font = "double"
	Script     Font = "script"
	Fraktur    Font = "fraktur"
)

// Parse reads a formula, without the dollar signs around it. The error names what is not known, or missing.
func Parse(text string) (Node, error) {
	p := &parser{rest: strings.Map(writable, strings.ToValidUTF8(text, "\uFFFD"))}
	return p.row("")
}

// writable makes blanks of letters that nothing can show.
func writable(letter rune) rune {
	if letter < ' ' && letter != '\t' && letter != '\n' || letter == 0xFFFE || letter == 0xFFFF {
		return ' '
	}
	return letter
}
