// Package formula parses LaTeX formulas into trees, which internal/notebook/mathml writes as MathML
// and plotting/figure draws in figures.
//
// It supports the part of LaTeX's mathematics that notebooks use: letters, operators, fractions,
// roots, indices, accents, fonts, brackets that grow, matrices, cases and aligned lines. Anything
// else is an error that names it.
//
// Read formula.go (the trees), then parser.go (letters, groups and indices), command.go and
// tables.go.
//
//	tree, err := formula.Parse(`\frac{1}{\sqrt{2\pi}} e^{-x^2/2}`)
package formula

import "strings"

// A Node is a part of a formula: one of the types below.
type Node interface{ node() }

// A Row is a sequence of parts. A tree contains no row of one part, but the part itself.
type Row []Node

// A Letter is an identifier: one letter, or several consecutive letters in one font.
type Letter struct {
	Text string
	Font Font
}

// A Number consists of digits and at most one decimal point.
type Number struct {
	Text string
	Font Font
}

// A Sign is an operator, a relation, a bracket or punctuation, as typeset: "−" and not "-".
type Sign string

// A Large is an operator that grows in displayed formulas, such as "∑".
type Large string

// A Function is a function name, which is set upright, such as "log".
type Function string

// Words is text inside a formula, including its blanks.
type Words string

// A Name is the argument of \operatorname, which is set upright like a function.
type Name string

// A Space is a horizontal space in ems; it may be negative.
type Space float64

// A Scripted is a part with a subscript (Below) and a superscript (Above), nil for none. If Limits
// is set, displayed formulas place them below and above the base.
type Scripted struct {
	Base, Below, Above Node
	Limits             bool
}

// A Fraction is one part above another.
type Fraction struct {
	Above, Below Node
	Size         string // "text" for \tfrac, "display" for \dfrac
	Binomial     bool   // in round brackets, without a rule
}

// A Root is a root of a part. Degree is nil for square roots.
type Root struct{ Degree, Under Node }

// An Accent is a sign above or below a part.
type Accent struct {
	Name  string // name of the command
	Sign  string
	Over  Node
	Below bool // whether the sign is below
	Grows bool // whether the sign is as wide as the part
}

// A Bracket is a bracket of a fixed height in ems.
type Bracket struct {
	Sign string
	Size float64
}

// A Fenced is a part between brackets of its height; "" means no bracket.
type Fenced struct {
	Left, Right string
	Inner       Node
}

// A Stacked is a part with another one above or below it.
type Stacked struct{ Base, Above, Below Node }

// A Negated is a part that is struck through.
type Negated struct{ Inner Node }

// A Phantom occupies the space of a part without showing it.
type Phantom struct{ Inner Node }

// A Table is the content of an environment, row by row.
type Table struct {
	Name        string // "pmatrix", "cases", "aligned" …
	Left, Right string // brackets; "" for none
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

// A Font is the font of letters and digits; "" is the default, italic for letters.
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

// Parse parses a formula, without the surrounding dollar signs. The error names the unknown or
// missing part.
func Parse(text string) (Node, error) {
	p := &parser{rest: strings.Map(writable, strings.ToValidUTF8(text, "\uFFFD"))}
	return p.row("")
}

// writable replaces control characters and noncharacters by blanks.
func writable(letter rune) rune {
	if letter < ' ' && letter != '\t' && letter != '\n' || letter == 0xFFFE || letter == 0xFFFF {
		return ' '
	}
	return letter
}
