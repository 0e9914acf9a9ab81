package difference

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/runtime/session"
)

// Cells cuts a program into cells: its imports and declarations, and the statements of the
// function run. The text decides in which of several ways.
func Cells(source string) ([]string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "program.go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	h := fnv.New32()
	h.Write([]byte(source))
	way := h.Sum32() % 5
	var cells []string
	var declarations, statements strings.Builder
	for _, d := range file.Decls {
		text := source[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset]
		f, function := d.(*ast.FuncDecl)
		switch {
		case function && f.Recv == nil && strings.HasPrefix(f.Name.Name, "run_") && way == 3:
			declarations.WriteString(text + "\n")
			statements.WriteString(f.Name.Name + "()\n")
		case function && f.Recv == nil && strings.HasPrefix(f.Name.Name, "run_"):
			statements.WriteString(source[fset.Position(f.Body.Lbrace).Offset+1 : fset.Position(f.Body.Rbrace).Offset])
		case way == 0 && function && f.Recv == nil && f.Type.TypeParams == nil:
			cells = append(cells, text)
		default:
			declarations.WriteString(text + "\n")
		}
	}
	if way == 2 {
		return []string{declarations.String() + statements.String()}, nil
	}
	cells = append([]string{declarations.String()}, cells...)
	if way == 4 {
		cells = append(cells, cells...) // everything is declared again
	}
	return append(cells, statements.String()), nil
}

// An Outcome is what came of one run of a program.
type Outcome struct {
	Output string
	// Failure is the error of a cell, "" for none.
	Failure string
	// Ended is false if the program was still running at the end of its time.
	Ended bool
}

// patience is the time that a program has. Those that are generated take some milliseconds.
const patience = 30 * time.Second

// Play runs cells in a fresh session.
func Play(options session.Options, cells []string) (Outcome, error) {
	s, err := session.New(options)
	if err != nil {
		return Outcome{}, err
	}
	defer s.Close()
	var mu sync.Mutex
	var text strings.Builder
	publish := func(content protocol.Content) {
		mu.Lock()
		defer mu.Unlock()
		if stream, ok := content.(protocol.Stream); ok && stream.Name == "stdout" {
			text.WriteString(stream.Text)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	outcome := Outcome{Ended: true}
	for _, code := range cells {
		replies := make(chan protocol.ExecuteReply, 1)
		go func() { replies <- s.Execute(ctx, protocol.ExecuteRequest{Code: code, StoreHistory: true}, publish) }()
		var reply protocol.ExecuteReply
		select {
		case reply = <-replies:
		case <-time.After(patience + 5*time.Second): // an interrupt did not help either
			outcome.Ended = false
		}
		if !outcome.Ended || ctx.Err() != nil {
			outcome.Ended = false
			break
		}
		if reply.Status != "ok" {
			outcome.Failure = fmt.Sprintf("%s: %s", reply.Ename, reply.Evalue)
			break
		}
	}
	mu.Lock()
	defer mu.Unlock()
	outcome.Output = text.String()
	return outcome, nil
}
