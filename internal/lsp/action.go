package lsp

import (
	"go/ast"
	"go/parser"
	"slices"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/lsp/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
)

// quickFix is the kind of the actions.
const quickFix = "quickfix"

// A replacement is an edit of a cell that a hint suggests.
type replacement struct {
	start, end int
	text       string
}

// codeActions returns the edits that the hints of messages suggest. Each is tried: the edited cell
// is checked, and the edit is offered only if the cell has fewer errors then, or the first one is
// further below.
func (s *Server) codeActions(p protocol.CodeActionParams) (any, error) {
	list := []protocol.CodeAction{}
	for _, d := range p.Context.Diagnostics {
		document, c, offset, err := s.find(p.TextDocument.URI, d.Range.Start)
		if err != nil {
			return nil, err
		}
		if d.Source != "gosphere" || !c.isCode {
			continue
		}
		seen := map[string]bool{}
		for _, r := range replacements(c.text, offset, d) {
			text := c.text[:r.start] + r.text + c.text[r.end:]
			if seen[text] || !document.improves(c, text, d) {
				continue
			}
			seen[text] = true
			list = append(list, protocol.CodeAction{
				Title: title(c.text, r), Kind: quickFix, Diagnostics: []protocol.Diagnostic{d}, IsPreferred: len(seen) == 1,
				Edit: protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{c.uri: {{Range: c.inText(r.start, r.end), NewText: r.text}}}},
			})
		}
	}
	return list, nil
}

// title describes a replacement.
func title(text string, r replacement) string {
	old, now := strings.TrimSpace(text[r.start:r.end]), strings.TrimSpace(r.text)
	switch {
	case old == "":
		return "Insert " + now
	case now == "":
		return "Remove " + old
	}
	return "Replace " + old + " by " + now
}

// improves reports whether a cell with another text has fewer errors than now. For a warning, which
// is no error, the other text must have none more.
func (d *document) improves(c *cellText, text string, about protocol.Diagnostic) bool {
	checker := d.above(c).checker
	now := d.state.check(checker, c)
	other := *c
	other.text = text
	then := d.state.check(checker, &other)
	forget(now)
	forget(then)
	if about.Code != "compile" {
		return len(then.errors) <= len(now.errors)
	}
	return len(then.errors) < len(now.errors) || len(then.errors) > 0 && len(then.errors) == len(now.errors) && then.errors[0].Line > now.errors[0].Line
}

// forget releases the positions of a cell that is not kept.
func forget(r *result) {
	if r.checked != nil {
		r.checked.Cell.Forget()
	}
}

// A suggestion recognizes a hint. The function returns the replacements, in terms of the text and
// the offset of the message.
type suggestion struct {
	hint *lazyregexp.Regexp
	edit func(text string, offset int, parts []string) []replacement
}

// suggestions are tried in order; all that match contribute.
var suggestions = []suggestion{
	{lazyregexp.New(`did you mean ([\pL_][\pL\d_.]*)\?`), func(text string, offset int, parts []string) []replacement {
		return []replacement{{offset, offset + nameLength(text[offset:]), parts[1]}, selector(text, offset, parts[1])}
	}},
	{lazyregexp.New(`did you mean "([^"]+)"\?`), func(text string, offset int, parts []string) []replacement {
		return []replacement{{offset, offset + quotedLength(text[offset:]), `"` + parts[1] + `"`}}
	}},
	{lazyregexp.New(`(?:^|[ ,:])write ([\pL_][\pL\d_.]*)`), replaceName},
	{lazyregexp.New(`^Go writes (\w+)$`), replaceName},
	{lazyregexp.New(`^the type is (\w+)`), replaceName},
	{lazyregexp.New(`has it: import ("[^"]+")$`), insertImport},
	{lazyregexp.New(`write (%require \S+) in a line above`), func(_ string, _ int, parts []string) []replacement {
		return []replacement{{0, 0, parts[1] + "\n"}}
	}},
	{lazyregexp.New(`declared with := `), func(text string, offset int, _ []string) []replacement {
		return operator(text, offset, "=", ":=")
	}},
	{lazyregexp.New(`exists already: assign with =$|assigned with =`), func(text string, offset int, _ []string) []replacement {
		return operator(text, offset, ":=", "=")
	}},
	{lazyregexp.New(`write & before the value`), func(_ string, offset int, _ []string) []replacement {
		return []replacement{{offset, offset, "&"}}
	}},
	{lazyregexp.New(`write _ in the place of (\w+)`), func(text string, offset int, _ []string) []replacement {
		return []replacement{{offset, offset + nameLength(text[offset:]), "_"}}
	}},
	{lazyregexp.New(`\bcall the function: (.+)$`), replaceExpression},
	{lazyregexp.New(`: ([^:]+(?::=[^:]+)?)$`), replaceExpression},
	{lazyregexp.New(`^([\pL_][^ ]*\(.*\))$`), replaceExpression},
}

// replacements returns the edits that the hint of a diagnostic suggests.
func replacements(text string, offset int, d protocol.Diagnostic) (list []replacement) {
	if d.Code == "unused-import" {
		return []replacement{wholeLine(text, offset)}
	}
	hint := hintOf(d.Message)
	if hint == "" {
		return nil
	}
	for _, s := range suggestions {
		if parts := s.hint.FindStringSubmatch(hint); parts != nil {
			list = append(list, s.edit(text, offset, parts)...)
		}
	}
	return slices.DeleteFunc(list, func(r replacement) bool { return r.start < 0 || r.end > len(text) || r.start > r.end })
}

func replaceName(text string, offset int, parts []string) []replacement {
	return []replacement{{offset, offset + nameLength(text[offset:]), parts[1]}}
}

func insertImport(text string, _ int, parts []string) []replacement {
	at := 0
	for _, piece := range cell.Pieces(magics.Blank(text)) {
		if piece.Kind == cell.PackageClause {
			at = piece.End
		}
	}
	return []replacement{{at, at, "import " + parts[1] + "\n"}}
}

// nameLength returns the length of the name at the beginning of a text.
func nameLength(text string) int { return len(name.FindString(text)) }

var (
	name   = lazyregexp.New(`^[\pL_][\pL\d_]*`)
	quoted = lazyregexp.New("^(\"[^\"]*\"|`[^`]*`)")
)

func quotedLength(text string) int { return len(quoted.FindString(text)) }

// selector replaces a whole chain of names, such as math.sqrt, of which the message may be about
// any part.
func selector(text string, offset int, by string) replacement {
	start := offset
	for start > 0 && (text[start-1] == '.' || name.MatchString(text[start-1:start])) {
		start--
	}
	end := offset + nameLength(text[offset:])
	for end < len(text) && text[end] == '.' && nameLength(text[end+1:]) > 0 {
		end += 1 + nameLength(text[end+1:])
	}
	return replacement{start, end, by}
}

// operator replaces the first assignment operator in the line of an offset.
func operator(text string, offset int, old, by string) []replacement {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	at := strings.Index(line, old)
	if at < 0 || old == "=" && at > 0 && strings.ContainsRune("=!<>:+-*/%&|^", rune(line[at-1])) {
		return nil
	}
	return []replacement{{start + at, start + at + len(old), by}}
}

// replaceExpression replaces an expression around the offset by another one: the smallest first.
// The hint of many messages ends with the expression to write.
func replaceExpression(text string, offset int, parts []string) (list []replacement) {
	suggested := strings.TrimSpace(parts[1])
	if _, err := parser.ParseExpr(suggested); err != nil {
		left, _, assigns := strings.Cut(suggested, "=")
		if !assigns || strings.Contains(suggested, "...") || strings.TrimSpace(left) == "" {
			return nil
		}
		return []replacement{statementAt(text, offset, suggested)}
	}
	parsed, err := cell.Parse(1, magics.Blank(text))
	if err != nil {
		return nil
	}
	defer parsed.Forget()
	c, r := &cellText{text: text, number: 1}, &result{}
	for _, file := range []*ast.File{parsed.Declarations, parsed.Statements} {
		ast.Inspect(file, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			start, first := r.offsetIn(c, parsed.Fset.Position(x.Pos()))
			end, last := r.offsetIn(c, parsed.Fset.Position(x.End()))
			if first && last && start <= offset && offset < end {
				list = append(list, replacement{start, end, suggested})
			}
			return true
		})
	}
	slices.SortStableFunc(list, func(a, b replacement) int { return (a.end - a.start) - (b.end - b.start) })
	return list
}

// statementAt replaces the statement that begins in the line of an offset.
func statementAt(text string, offset int, by string) replacement {
	for _, piece := range cell.Pieces(magics.Blank(text)) {
		if piece.Code <= offset && offset <= piece.CodeEnd {
			return replacement{piece.Code, piece.CodeEnd, by}
		}
	}
	return replacement{-1, -1, ""}
}

// wholeLine removes the line of an offset.
func wholeLine(text string, offset int) replacement {
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
		end = offset + i + 1
	}
	return replacement{start, end, ""}
}
