package lsp

import (
	"go/format"
	"strings"

	"gosphere/internal/lsp/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
)

func (s *Server) formatting(p documentParams) (any, error) {
	edits := []protocol.TextEdit{}
	d, cells := s.cellsOf(p.TextDocument.URI)
	for _, c := range cells {
		if !c.isCode {
			continue
		}
		if formatted := formatCell(c.text); formatted != c.text {
			if c.line == 0 && strings.HasPrefix(d.text, shebang) {
				formatted = shebang + strings.TrimPrefix(formatted, comment)
			}
			edits = append(edits, protocol.TextEdit{Range: c.inText(0, len(c.text)), NewText: formatted})
		}
	}
	return edits, nil
}

// formatCell returns a cell in the format of gofmt. A cell with magics, or one that is no valid
// syntax, is returned unchanged. Declarations and statements are formatted group by group, because
// gofmt formats a text of only one of the two.
func formatCell(text string) string {
	if magics.Blank(text) != text {
		return text
	}
	pieces := cell.Pieces(text)
	var b strings.Builder
	for i := 0; i < len(pieces); {
		k := i + 1
		for k < len(pieces) && isDeclaration(pieces[k]) == isDeclaration(pieces[i]) {
			k++
		}
		part := text[pieces[i].Start:pieces[k-1].End]
		formatted, err := format.Source([]byte(part))
		if err != nil {
			return text
		}
		b.Write(formatted)
		i = k
	}
	formatted := b.String()
	if !strings.HasSuffix(text, "\n") {
		formatted = strings.TrimRight(formatted, "\n")
	}
	// Never anything but white space may change.
	if withoutSpace(formatted) != withoutSpace(text) {
		return text
	}
	return formatted
}

// isDeclaration reports whether a piece is one that statements may not be mixed with.
func isDeclaration(p cell.Piece) bool {
	switch p.Kind {
	case cell.PackageClause, cell.Import, cell.FunctionDeclaration, cell.TypeDeclaration, cell.ConstantDeclaration:
		return true
	}
	return false
}

// withoutSpace returns a text without white space, semicolons, commas and parentheses: gofmt
// removes semicolons at the ends of lines and adds or removes commas and parentheses.
func withoutSpace(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n;,()", r) {
			return -1
		}
		return r
	}, text)
}
