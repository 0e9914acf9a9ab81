package lsp

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"

	"gosphere/internal/lsp/protocol"
	jupyter "gosphere/kernel/protocol"
)

// above returns the checker with the cells above a cell.
func (d *document) above(c *cellText) *prefix { return d.state.before(d.cells, c.number-1) }

// inspect describes the name at an offset of a cell in Markdown, or returns "". A running kernel
// adds the value.
func (s *Server) inspect(d *document, c *cellText, text string, offset int) string {
	cursor := codePoints(text, offset)
	if s.live != nil {
		if found := s.live.inspect(text, cursor); found != "" {
			return found
		}
	}
	reply := d.above(c).assistant.Inspect(jupyter.InspectRequest{Code: text, CursorPos: cursor})
	for _, kind := range []string{"text/markdown", "text/plain"} {
		if found, ok := reply.Data[kind].(string); ok && reply.Found {
			return found
		}
	}
	return ""
}

func (s *Server) hover(p protocol.TextDocumentPositionParams) (any, error) {
	d, c, offset, err := s.find(p.TextDocument.URI, p.Position)
	if err != nil || !c.isCode || !onWord(c.text, offset) {
		return nil, err
	}
	if found := s.inspect(d, c, c.text, offset); found != "" {
		return protocol.Hover{Contents: protocol.MarkupContent{Kind: "markdown", Value: found}}, nil
	}
	return nil, nil
}

// onWord reports whether an offset touches a name. Inside the parentheses of a call, where there is
// none, an inspection would describe the function.
func onWord(text string, offset int) bool {
	word := func(b byte) bool {
		return b == '_' || b == '%' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
	}
	return offset < len(text) && word(text[offset]) || offset > 0 && word(text[offset-1])
}

// itemKinds are the kinds of completions by the types that JupyterLab has icons for.
var itemKinds = map[string]int{
	"module": protocol.ModuleItem, "function": protocol.FunctionItem, "method": protocol.MethodItem, "field": protocol.FieldItem,
	"variable": protocol.VariableItem, "constant": protocol.ConstantItem, "struct": protocol.StructItem, "interface": protocol.InterfaceItem,
	"class": protocol.ClassItem, "keyword": protocol.KeywordItem, "path": protocol.FileItem, "magic": protocol.EventItem,
}

func (s *Server) completion(p protocol.TextDocumentPositionParams) (any, error) {
	d, c, offset, err := s.find(p.TextDocument.URI, p.Position)
	if err != nil || !c.isCode {
		return nil, err
	}
	reply := d.above(c).assistant.Complete(jupyter.CompleteRequest{Code: c.text, CursorPos: codePoints(c.text, offset)})
	typed, _ := reply.Metadata[jupyter.TypedMatches].([]jupyter.TypedMatch)
	start, end := byteOffset(c.text, reply.CursorStart), byteOffset(c.text, reply.CursorEnd)
	list := protocol.CompletionList{Items: []protocol.CompletionItem{}}
	for i, m := range typed {
		item := protocol.CompletionItem{
			Label: m.Text, Kind: itemKinds[m.Type], Detail: m.Signature, SortText: fmt.Sprintf("%05d", i),
			TextEdit: &protocol.TextEdit{Range: c.inText(start, end), NewText: m.Text},
		}
		if m.Documentation != "" {
			item.Documentation = &protocol.MarkupContent{Kind: "plaintext", Value: m.Documentation}
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

// byteOffset returns the offset in bytes of a number of code points.
func byteOffset(text string, count int) int {
	for i := range text {
		if count == 0 {
			return i
		}
		count--
	}
	return len(text)
}

func (s *Server) signatureHelp(p protocol.TextDocumentPositionParams) (any, error) {
	d, c, offset, err := s.find(p.TextDocument.URI, p.Position)
	if err != nil || !c.isCode {
		return nil, err
	}
	open, argument := openCall(c.text[:offset])
	if open < 0 {
		return nil, nil
	}
	// The text ends after the name of the function, so that unfinished arguments do not matter.
	found := s.inspect(d, c, c.text, open)
	label, rest, _ := strings.Cut(strings.TrimPrefix(found, "```go\n"), "\n")
	signature, ok := signatureOfHeading(label)
	if !ok {
		return nil, nil
	}
	if _, doc, ok := strings.Cut(rest, "```\n\n"); ok {
		signature.Documentation = &protocol.MarkupContent{Kind: "markdown", Value: doc}
	}
	if n := len(signature.Parameters); argument >= n && n > 0 {
		argument = n - 1 // of a variadic parameter
	}
	return protocol.SignatureHelp{Signatures: []protocol.SignatureInformation{signature}, ActiveParameter: argument}, nil
}

// openCall returns the offset of the last parenthesis in a text that is not closed and follows a
// name, or -1, and the number of commas after it.
func openCall(text string) (open, commas int) {
	type bracket struct {
		offset, commas int
		called         bool
	}
	var stack []bracket
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), func(token.Position, string) {}, 0)
	last := token.ILLEGAL
	for {
		pos, kind, _ := s.Scan()
		offset := int(pos) - 1
		switch kind {
		case token.EOF:
			for i := len(stack) - 1; i >= 0; i-- {
				if b := stack[i]; b.called {
					return b.offset, b.commas
				} else if text[b.offset] == '{' {
					return -1, 0 // in the body of a function literal
				}
			}
			return -1, 0
		case token.LPAREN, token.LBRACK, token.LBRACE:
			called := kind == token.LPAREN && (last == token.IDENT || last == token.RBRACK)
			stack = append(stack, bracket{offset, 0, called})
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case token.COMMA:
			if len(stack) > 0 {
				stack[len(stack)-1].commas++
			}
		}
		last = kind
	}
}

// signatureOfHeading returns the signature in the first line of a description, such as func
// Sqrt(x float64) float64 or var f func(x int) int.
func signatureOfHeading(label string) (protocol.SignatureInformation, bool) {
	label, _, _ = strings.Cut(label, " = ")
	signature := protocol.SignatureInformation{Label: label, Parameters: []protocol.ParameterInformation{}}
	at := strings.Index(label, "func")
	if at < 0 {
		return signature, false
	}
	start := at + len("func")
	if strings.HasPrefix(label[start:], " (") { // a receiver
		start += strings.Index(label[start:], ") ") + 1
	}
	depth, begin := 0, -1
	for i := start; i < len(label); i++ {
		switch label[i] {
		case '(', '[', '{':
			if depth == 0 && label[i] == '(' && begin < 0 {
				begin = i + 1
			}
			depth++
		case ')', ']', '}':
			depth--
			if depth == 0 && begin >= 0 {
				signature.Parameters = withParameter(signature.Parameters, label, begin, i)
				return signature, true
			}
		case ',':
			if depth == 1 && begin >= 0 {
				signature.Parameters = withParameter(signature.Parameters, label, begin, i)
				begin = i + 1
			}
		}
	}
	return signature, false
}

// withParameter adds the parameter in a part of a label, unless it is empty.
func withParameter(list []protocol.ParameterInformation, label string, start, end int) []protocol.ParameterInformation {
	part := label[start:end]
	start += len(part) - len(strings.TrimLeft(part, " "))
	if start >= end {
		return list
	}
	return append(list, protocol.ParameterInformation{Label: [2]int{units(label, start), units(label, end)}})
}
