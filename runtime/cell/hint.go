package cell

import (
	"go/token"
	"strconv"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/internal/spelling"
)

// A hintRule recognizes a mistake by the parser's message and the line of the mistake, and suggests
// a correction. Most mistakes are habits from other languages. Lines are matched and not tokens,
// because text in another language is not divided into tokens of Go.
type hintRule struct {
	message string             // part of the message; "" matches any
	line    *lazyregexp.Regexp // matches the line without surrounding white space
	hint    string             // may contain $1 and so on, as in regexp.Expand
}

// hintOn returns a rule that depends on the line alone.
func hintOn(line, hint string) hintRule { return hintFor("", line, hint) }

// hintFor returns a rule that also requires a part of the parser's message. Regular expressions are
// compiled at the first mistake.
func hintFor(message, line, hint string) hintRule {
	return hintRule{message, lazyregexp.New(line), hint}
}

// hintRules are tried in order. The first rule that matches applies. Rules that need no message
// come first where their line is unmistakable, as for "while". A rule with an empty pattern depends
// on the message alone.
var hintRules = []hintRule{
	hintOn(`^go\s+get\s+(?:-\S+\s+)*(\S+)$`, "modules are added with the line %require $1"),
	hintOn(`^go\s+(build|clean|doc|env|fmt|generate|install|list|mod|run|test|tool|version|vet|work)\b(.*)$`, "a command line begins with an exclamation mark: !go $1$2"),
	hintOn(`^(?:pip3?|conda|npm|cargo)\s+install\s+(\S+)`, "modules of Go are added with a line %require MODULE@VERSION"),
	hintOn(`^use\s+strict`, "leave it out: names must always be declared"),
	hintOn(`^assert\s+(.+)$`, "write: if !($1) { panic(\"...\") }"),
	hintOn(`^del\s+(.+)\[([^\]]+)\]$`, "an entry of a map is removed by a call: delete($1, $2)"),
	hintOn(`^del\s+(\w+)$`, "variables need no deletion; %reset removes all names"),
	hintOn(`^with\s+(.+?)\s+as\s+(\w+)\s*:?$`, "open it and defer its end: $2, err := os.Open(...); defer $2.Close()"),
	hintOn(`^async\s+(\w+\(.*\))$`, "a call runs at the same time with go: go $1"),
	hintOn(`^await\s+(.+)$`, "calls wait by themselves: $1"),
	hintOn(`^yield\s+`, "a function that yields values has a function as parameter: func(yield func(int) bool) { yield(1) }"),
	hintOn(`^enum\s+(\w+)\s*\{\s*(\w*)`, "constants count up with iota: type $1 int; const ( $2 $1 = iota; ... )"),
	hintOn(`^(?:std::)?cout\s*<<\s*([^<;]+)`, "print with fmt.Println($1)"),
	hintOn(`^(?:let|var)\s+mut\s+(\w+)\s*=\s*([^;]+);?$`, "declare variables with := : $1 := $2"),
	hintOn(`^const\s+(\w+)\s*:=\s*(.+)$`, "a constant is declared with = : const $1 = $2"),
	hintOn(`^var\s+(\w+)\s*:=\s*(.+)$`, "write $1 := $2, or var $1 = $2"),
	hintOn(`^(.+)\s+if\s+(.+)\s+else\s+(.+)$`, "there is no conditional expression: if $2 { ... } else { ... }"),
	hintOn(`\[\s*(.+)\s+for\s+(\w+)\s+in\s+(\w+).*\]`, "a list is made by a loop: for _, $2 := range $3 { list = append(list, $1) }"),
	hintOn(`^(\w+)\s+is\s+(?:None|null|nil)$`, "compare with nil: $1 == nil"),
	hintOn(`^(\w+)\s+is\s+not\s+(?:None|null|nil)$`, "compare with nil: $1 != nil"),
	hintOn(`^(?:if\s+)?("[^"]*"|'[^']*'|\w+)\s+in\s+(\w+)`, "for a map: _, found := $2[$1]; for a slice: slices.Contains($2, $1)"),
	hintOn(`\bnew\s+(\w+)\(([^)]*)\)`, "a struct is made with braces: $1{$2}, a pointer to it with &$1{$2}"),
	hintFor("expected type", `^type\((.+)\)$`, "the type is printed by fmt.Printf(\"%T\", $1)"),
	hintFor("expected '['", `\bmake\(map\)`, "a map has types of keys and values: make(map[string]int)"),
	hintFor("found 'map'", `(\w+)\.map\(`, "slices have no methods: for _, x := range $1 { ... }"),
	hintFor("illegal label", `^\{`, "a table has a type: map[string]int{\"a\": 1}"),
	hintFor("expected ')', found ','", `^\((.+)\)$`, "several values have no parentheses: $1; a pair is a struct, or the results of a function"),
	hintFor("found '+'", `^(\w+)\+\+\s*\+\s*(.+)$`, "$1++ is a statement without a value: write $1 + $2"),
	hintFor("missing ',' in composite literal", ``, "elements are separated by commas, also at the end of a line"),
	hintFor("found ':'", `^func\s.*\)\s*:\s*(\w+)`, "the result type follows the parentheses without a colon: func f(x int) $1 { ... }"),
	hintFor("found ','", `^type\s+(\w+)\s+struct\s*\{`, "fields are separated by semicolons or lines: type $1 struct { X int; Y int }"),
	hintFor("comment not terminated", ``, "a comment that begins with /* ends with */"),
	hintOn(`^(?:print|println|echo|puts|printf)\s+(.+)$`, "call it as a function: fmt.Println($1)"),
	hintOn(`^(len|cap)\s+(\w[^;]*)$`, "call it as a function: $1($2)"),
	hintFor("interface method must have no type parameters", ``, "give the interface the type parameter, type I[T any] interface { ... }, or write a function with type parameters"),
	hintFor("expected 1 expression", `^\[(.+)\]$`, "a list has a type: []int{$1}"),
	hintFor("expected 1 expression", `^(?:.*;)?\s*([^=;]+)$`, "only the last line of a cell may be a list of values; elsewhere write display.Show($1)"),
	hintOn(`^(?:def|fn|fun|function)\s+(\w+)`, "functions begin with func, and types follow names: func $1(a, b int) int { ... }"),
	hintOn(`^(class|struct|interface)\s+(\w+)`, "types are declared with type: type $2 struct { ... }; their functions are methods: func (x $2) Name() { ... }"),
	hintOn(`^(?:let|val|auto|my|local)\s+(\w+)\s*=\s*(.+)$`, "declare variables with := : $1 := $2"),
	hintOn(`^(?:bool|string|int|float|double|char|long|u?int\d*|float\d+)\s+(\w+)\s*=\s*([^;]+);?$`, "the type follows the name, or is omitted: $1 := $2"),
	hintOn(`^var\s+(\w+)$`, "var needs a type or a value: var $1 int, or $1 := 0"),
	hintOn(`^for\s+(\w+)\s+in\s+range\s*\(\s*(?:0\s*,\s*)?([^,]+?)\s*\)\s*(?:[:{].*)?$`, "a loop over numbers is: for $1 := range $2 {"),
	hintOn(`^for\s+(\w+)\s+in\s+range\s*\(\s*([^,]+?)\s*,\s*([^,]+?)\s*\)\s*(?:[:{].*)?$`, "a loop over numbers is: for $1 := $2; $1 < $3; $1++ {"),
	hintOn(`^for\s+(\w+)\s+in\s+range\s*\(\s*([^,]+?)\s*,\s*([^,]+?)\s*,\s*([^,]+?)\s*\)\s*(?:[:{].*)?$`, "a loop over numbers is: for $1 := $2; $1 < $3; $1 += $4 {"),
	hintOn(`^for\s*\(?\s*(?:auto |var |let |const )?(\w+)\s+(?:in|of)\s+([^{:)]+?)\s*\)?\s*(?:[{:].*)?$`, "a loop over elements is: for _, $1 := range $2 {"),
	hintOn(`\brange\s*\(\s*(?:0\s*,\s*)?(\w+)\s*\)`, "a loop over numbers is: for i := range $1 {"),
	hintOn(`^while\s*\(?([^{:]+?)\)?\s*(?:[{:].*)?$`, "a loop with a condition is: for $1 {"),
	hintOn(`^(?:do|repeat|until|loop)\b`, "every loop begins with for; leave it with break"),
	hintOn(`^\}?\s*(?:elif|elsif|elseif)\b\s*(.*?)\s*[{:]?$`, "write: } else if $1 {"),
	hintFor("'else'", `^else\b`, "else is on the line of the closing brace: } else {"),
	hintOn(`^(?:try|catch|except|finally|begin|rescue)\b|\}\s*(?:catch|except|finally)\b`, "functions return errors: if err != nil { ... }; a panic is caught by defer func() { r := recover(); ... }()"),
	hintOn(`^(?:throw|raise)\b\s*(.*)$`, "return an error, or end with panic($1)"),
	hintOn(`^if\s*\(([^()]*)\)\s*([^{\s].*?);?$`, "a condition has no parentheses, and a body has braces: if $1 { $2 }"),
	hintOn(`^(if|for)\s+([^{]*?)\s*:\s+([^{\s][^{]*)$`, "a body has braces instead of a colon: $1 $2 { $3 }"),
	hintOn(`^(if|for|switch)\s*\((.*)\)\s*\{?$`, "without parentheses: $1 $2 {"),
	hintOn(`^(if|for|switch)\s+(.*[^{:\s])\s*:$`, "a body has braces instead of a colon: $1 $2 { ... }"),
	hintOn(`^(if|for|switch)\s+([^{]*[^{\s])$`, "a body needs braces, the first on the same line: $1 $2 {"),
	hintFor("boolean expression, found assignment", `(\w+)\s*=\s*(\w+)`, "== compares: $1 == $2"),
	hintFor("expected '==', found '='", `(\w+)\s*=\s*([\w"'.]+)`, "arguments have no names, only places; == compares"),
	hintFor("middle index required", `(\w+)\[[^\]]*:\s*:\s*(\w+)\s*\]`, "slices have no step: for i := 0; i < len($1); i += $2 { ... $1[i] ... }"),
	hintOn(`===`, "== compares, and types are always compared as well"),
	hintOn(`<>`, "not equal is written !="),
	hintOn(`\bnot\s+(\w+)`, "not is written ! : !$1"),
	hintOn(`\w\s+(?:and|or)\s+\w`, "and is written &&, or is written ||"),
	hintFor("illegal character U+003F", `\?.*:`, "Go has no ?: operator; use if and else"),
	hintFor("found '++'", `^\+\+\s*(\w+)`, "write $1++"),
	hintFor("found '--'", `^--\s*(\w+)`, "write $1--"),
	hintFor("found '++'", ``, "x++ is a statement without a value, on a line of its own"),
	hintFor("found '--'", ``, "x-- is a statement without a value, on a line of its own"),
	hintFor("illegal rune literal", `'([^']*)'`, "text has double quotes, \"$1\"; single quotes are for one character"),
	hintFor("string literal not terminated", ``, "the closing quote is missing; strings of several lines are written between back quotes"),
	hintFor("raw string literal not terminated", ``, "the closing back quote is missing"),
	hintOn(`\bf"([^"]*)"`, "there are no f-strings: fmt.Sprintf(\"... %v ...\", value)"),
	hintOn(`\blambda\s+(\w+)\s*:\s*(.+)$`, "a function literal is: func($1 int) int { return $2 }"),
	hintOn(`^(\w+)->(\w+)`, "a dot selects from pointers as well: $1.$2"),
	hintOn(`=>|->`, "a function literal is: func(x int) int { return x * x }"),
	hintOn(`^(?:import|from)\s+(?:numpy|scipy)\b`, "numbers are in gonum, which needs no import: stat.Mean(xs, nil), floats.Sum(xs), mat.NewDense(rows, columns, data)"),
	hintOn(`^(?:import|from)\s+(?:pandas|polars)\b`, "tables are in package table, which needs no import: t, err := table.Read(\"data.csv\")"),
	hintOn(`^(?:import|from)\s+(?:matplotlib|seaborn|plotly)\b`, "figures are in package figure, which needs no import: figure.Lines(\"x\", \"y\", figure.Series{Name: \"a\", Values: ys})"),
	hintOn(`^import\s+[\w.]+\s+as\s+(\w+)`, "the path is quoted, and a name of your own precedes it: import $1 \"path/of/package\""),
	hintOn(`^import\s+(\w+)\s*,\s*(\w+)`, "paths are quoted, and several are in parentheses: import (\"$1\"; \"$2\")"),
	hintOn(`^import\s+([\w/.]+)`, "the path is quoted: import \"$1\"; packages that are here are also found without an import"),
	hintOn(`^from\s+(\w+)\s+import\b`, "packages are imported as a whole: import \"$1\", then $1.Name"),
	hintOn(`^#`, "comments begin with //"),
	hintOn(`^(?:!|\$)\s*(\S+)`, "a program is run with exec.Command(\"$1\").CombinedOutput()"),
	hintOn(`=\s*\[[^\]]*,`, "a list has a type: []int{1, 2, 3}"),
	hintOn(`=\s*\{`, "a table has a type: map[string]int{\"a\": 1}"),
	hintFor("in parameter list", `=`, "parameters have no default values; use a second function, or variadic options"),
	hintFor("in argument list", `\b(\w+)\s*:=\s*([^,)]+)`, "declare before the call: $1 := $2"),
	hintFor("newline in argument list", ``, "the call has no closing ), or its last line no comma"),
	hintFor("newline in composite literal", ``, "the last line of a list needs a comma as well"),
	hintFor("expected '('", `^func\s+(\w+)\s*\(`, "a function inside a function has no name of its own: $1 := func() { ... }"),
	hintFor("functions without a body", `^func\b.*\)\s*\S*$`, "the brace { is on the line of func"),
}

// advise adds hints to syntax errors. It drops errors that follow from a mistake for which there is
// a hint. A mistake such as "while x {" causes several errors. Once one has a hint, those without a
// hint are omitted, and so are those that a misread body causes.
func advise(list Errors, source string) Errors {
	lines := strings.Split(source, "\n")
	kept := list[:0]
	explained := false
	for _, e := range list {
		if e.Hint = characterHint(e.Message); e.Hint == "" {
			e.Hint = hintOf(e.Message, strings.TrimSpace(lines[e.Line-1]))
		}
		if strings.HasSuffix(e.Message, "newline in composite literal") {
			if explained {
				continue // a body that was taken for a literal
			}
			if hint := hintAbove(lines[:e.Line-1]); hint != "" {
				e.Hint = hint
			}
		}
		if e.Hint == "" && strings.HasPrefix(e.Message, "expected ';'") {
			e.Hint = keywordHint(strings.TrimSpace(lines[e.Line-1]))
		}
		if e.Hint == "" && strings.HasPrefix(e.Message, "unexpected end of the cell") {
			e.Hint = openingHint(source, lines)
		}
		if explained && (e.Hint == "" || strings.HasPrefix(e.Message, "unexpected end")) {
			continue
		}
		explained = explained || e.Hint != ""
		kept = append(kept, e)
	}
	return kept
}

// misspelled are the keywords that begin lines and that are long enough to be recognized when they
// are misspelled.
var misspelled = []string{"return", "func", "import", "package", "switch", "select", "defer", "const", "type"}

// keywordHint returns a hint for a line that begins with a misspelled keyword, such as retrun x.
func keywordHint(line string) string {
	word, _, more := strings.Cut(line, " ")
	if !more {
		return ""
	}
	for _, keyword := range misspelled {
		if word != keyword && spelling.Distance(word, keyword) <= max(1, len(keyword)/4) {
			return "did you mean " + keyword + "?"
		}
	}
	return ""
}

// hintAbove returns the hint for the last of some lines that has one. The parser reports a missing
// brace only where the block ends, so the line at fault is above.
func hintAbove(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if hint := hintOf("", strings.TrimSpace(lines[i])); hint != "" {
			return hint
		}
	}
	return ""
}

// quoted matches string literals, whose contents are not examined.
var quoted = lazyregexp.New(`"(?:[^"\\]|\\.)*"`)

// hintOf returns a suggestion for a line in which the parser found a mistake, or "". String
// literals are masked with bytes that no pattern matches. Offsets stay the same, so the hint can
// quote the original line.
func hintOf(message, line string) string {
	masked := quoted.ReplaceAllStringFunc(line, func(text string) string {
		return `"` + strings.Repeat("\x01", len(text)-2) + `"`
	})
	for _, rule := range hintRules {
		if !strings.Contains(message, rule.message) {
			continue
		}
		if m := rule.line.FindStringSubmatchIndex(masked); m != nil {
			return strings.TrimSpace(string(rule.line.ExpandString(nil, rule.hint, line, m)))
		}
	}
	return ""
}

// openingHint returns a hint that names the bracket that is still open at the end of the cell, or
// says that an opening brace is missing. The lines above the end are searched for a header without
// a brace, if all brackets are closed.
func openingHint(source string, lines []string) string {
	closing := map[token.Token]token.Token{token.LPAREN: token.RPAREN, token.LBRACK: token.RBRACK, token.LBRACE: token.RBRACE}
	var open []lexeme
	for _, l := range scan(source) {
		if _, ok := closing[l.token]; ok {
			open = append(open, l)
		} else if len(open) > 0 && l.token == closing[open[len(open)-1].token] {
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		return "the " + last.token.String() + " of line " + strconv.Itoa(strings.Count(source[:last.start], "\n")+1) + " is not closed"
	}
	return hintAbove(lines)
}
