package lsp

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"gosphere/internal/lsp/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
)

// tokenTypes and tokenModifiers are the legend of semantic tokens; tokens refer to their indices.
var (
	tokenTypes     = []string{"namespace", "type", "typeParameter", "parameter", "variable", "property", "function", "method", "macro", "keyword", "comment", "string", "number", "operator"}
	tokenModifiers = []string{"declaration", "readonly", "defaultLibrary"}
)

// Bits of modifiers.
const (
	declarationBit = 1 << iota
	readonlyBit
	defaultLibraryBit
)

// A documentParams names a document.
type documentParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
}

// A semanticToken is one token of a cell.
type semanticToken struct {
	start, end      int // offsets in bytes
	kind, modifiers int
}

func (s *Server) semanticTokens(p documentParams) (any, error) {
	tokens := protocol.SemanticTokens{Data: []int{}}
	d, cells := s.cellsOf(p.TextDocument.URI)
	if d == nil {
		return tokens, nil
	}
	var byCell map[*cellText][]mention
	line, character := 0, 0
	for _, c := range cells {
		if !c.isCode {
			continue
		}
		if byCell == nil {
			byCell = map[*cellText][]mention{}
			for _, m := range d.mentions() {
				byCell[m.cell] = append(byCell[m.cell], m)
			}
		}
		for _, t := range tokensOf(c, byCell[c]) {
			r := c.inText(t.start, t.end)
			if r.Start.Line != r.End.Line {
				continue // a token of several lines, which editors color themselves
			}
			if r.Start.Line != line {
				character = 0
			}
			tokens.Data = append(tokens.Data, r.Start.Line-line, r.Start.Character-character, r.End.Character-r.Start.Character, t.kind, t.modifiers)
			line, character = r.Start.Line, r.Start.Character
		}
	}
	return tokens, nil
}

// cellsOf returns the document and the cells of a text.
func (s *Server) cellsOf(uri string) (*document, []*cellText) {
	for _, d := range s.documents {
		var list []*cellText
		for _, c := range d.cells {
			if c.uri == uri {
				list = append(list, c)
			}
		}
		if len(list) > 0 {
			return d, list
		}
	}
	return nil, nil
}

// tokensOf returns the tokens of a cell in their order: names by what they denote, literals,
// comments, keywords, and lines of magics.
func tokensOf(c *cellText, mentions []mention) (list []semanticToken) {
	kind := func(name string) int { return slices.Index(tokenTypes, name) }
	meanings := map[int]mention{}
	for _, m := range mentions {
		meanings[m.start] = m
	}
	blank := magics.Blank(c.text)
	list = magicLines(c.text, blank)
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(blank)), []byte(blank), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, found, literal := s.Scan()
		start := int(pos) - 1
		switch {
		case found == token.EOF:
			slices.SortFunc(list, func(a, b semanticToken) int { return a.start - b.start })
			return list
		case found == token.IDENT:
			if m, ok := meanings[start]; ok {
				t, modifiers := meaningOf(m)
				list = append(list, semanticToken{start, start + len(literal), kind(t), modifiers})
			}
		case found == token.COMMENT:
			list = append(list, semanticToken{start, start + len(literal), kind("comment"), 0})
		case found == token.STRING || found == token.CHAR:
			list = append(list, semanticToken{start, start + len(literal), kind("string"), 0})
		case found == token.INT || found == token.FLOAT || found == token.IMAG:
			list = append(list, semanticToken{start, start + len(literal), kind("number"), 0})
		case found.IsKeyword():
			list = append(list, semanticToken{start, start + len(literal), kind("keyword"), 0})
		}
	}
}

// magicLines returns the names of magics, at the beginning of lines that are blank without them.
func magicLines(text, blank string) (list []semanticToken) {
	if blank == text || len(blank) != len(text) {
		return nil
	}
	offset := 0
	for line := range strings.Lines(text) {
		start := offset + len(line) - len(strings.TrimLeft(line, " \t"))
		if start < len(text) && (text[start] == '%' || text[start] == '!') && blank[start] == ' ' {
			end := start + 1
			for end < len(text) && !strings.ContainsRune(" \t\r\n", rune(text[end])) {
				end++
			}
			list = append(list, semanticToken{start, end, slices.Index(tokenTypes, "macro"), 0})
		}
		offset += len(line)
	}
	return list
}

// meaningOf returns the type and the modifiers of the token of a name.
func meaningOf(m mention) (kind string, modifiers int) {
	if m.declares {
		modifiers |= declarationBit
	}
	if m.object.Pkg() == nil {
		modifiers |= defaultLibraryBit
	}
	switch o := m.object.(type) {
	case *types.PkgName:
		return "namespace", modifiers
	case *types.TypeName:
		if _, ok := types.Unalias(o.Type()).(*types.TypeParam); ok {
			return "typeParameter", modifiers
		}
		return "type", modifiers
	case *types.Const, *types.Nil:
		return "variable", modifiers | readonlyBit
	case *types.Builtin:
		return "function", modifiers
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "method", modifiers
		}
		return "function", modifiers
	case *types.Var:
		switch o.Kind() {
		case types.FieldVar:
			return "property", modifiers
		case types.ParamVar, types.ResultVar, types.RecvVar:
			return "parameter", modifiers
		}
	}
	return "variable", modifiers
}

func (s *Server) symbols(p documentParams) (any, error) {
	list := []protocol.DocumentSymbol{}
	_, cells := s.cellsOf(p.TextDocument.URI)
	for _, c := range cells {
		if c.isCode {
			list = append(list, symbolsOf(c)...)
		}
	}
	return list, nil
}

// symbolsOf returns the declarations of a cell.
func symbolsOf(c *cellText) (list []protocol.DocumentSymbol) {
	blank := magics.Blank(c.text)
	parsed, err := cell.Parse(c.number, blank)
	if err != nil {
		return nil
	}
	defer parsed.Forget()
	r := &result{}
	add := func(id *ast.Ident, node ast.Node, kind int, detail string) {
		start, ok := r.offsetIn(c, parsed.Fset.Position(node.Pos()))
		end, _ := r.offsetIn(c, parsed.Fset.Position(node.End()))
		name, named := r.offsetIn(c, parsed.Fset.Position(id.Pos()))
		if ok && named && id.Name != "_" {
			list = append(list, protocol.DocumentSymbol{Name: id.Name, Detail: detail, Kind: kind, Range: c.inText(start, max(start, end)), SelectionRange: c.inText(name, name+len(id.Name))})
		}
	}
	declaration := func(d *ast.GenDecl) {
		for _, spec := range d.Specs {
			var node ast.Node = spec
			if !d.Lparen.IsValid() {
				node = d
			}
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name, node, typeKind(spec.Type), "")
			case *ast.ValueSpec:
				kind := protocol.VariableSymbol
				if d.Tok == token.CONST {
					kind = protocol.ConstantSymbol
				}
				for _, id := range spec.Names {
					add(id, node, kind, "")
				}
			}
		}
	}
	for _, d := range parsed.Declarations.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if receiver := receiverName(d); receiver != "" {
				add(d.Name, d, protocol.MethodSymbol, receiver)
			} else {
				add(d.Name, d, protocol.FunctionSymbol, "")
			}
		case *ast.GenDecl:
			declaration(d)
		}
	}
	for _, statement := range parsed.Body.Body.List {
		switch statement := statement.(type) {
		case *ast.AssignStmt:
			for _, left := range statement.Lhs {
				if id, ok := left.(*ast.Ident); ok && statement.Tok == token.DEFINE {
					add(id, statement, protocol.VariableSymbol, "")
				}
			}
		case *ast.DeclStmt:
			if d, ok := statement.Decl.(*ast.GenDecl); ok {
				declaration(d)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b protocol.DocumentSymbol) int {
		if a.Range.Start.Line != b.Range.Start.Line {
			return a.Range.Start.Line - b.Range.Start.Line
		}
		return a.SelectionRange.Start.Character - b.SelectionRange.Start.Character
	})
	return list
}

// typeKind returns the kind of the symbol of a type.
func typeKind(x ast.Expr) int {
	switch x.(type) {
	case *ast.StructType:
		return protocol.StructSymbol
	case *ast.InterfaceType:
		return protocol.InterfaceSymbol
	}
	return protocol.ClassSymbol
}
