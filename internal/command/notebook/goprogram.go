package notebook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/runtime/printer"
	gosession "gosphere/runtime/session"
)

// program returns the Go program that the command line names, or nil if it names cells: a notebook,
// a file of cells, or a file without a package clause.
func (r *Run) program() (*gosession.Program, error) {
	if path, files := r.packageOf(); path != "" {
		return &gosession.Program{Path: path, Files: files}, nil
	}
	if !isGoFile(r.File) && !isProgram(r.File) {
		return nil, nil
	}
	text, err := readText(r.File)
	if err != nil || !hasPackageClause(text) {
		r.text = &text // standard input cannot be read again
		return nil, err
	}
	if r.File == "-" {
		return &gosession.Program{Path: ".", Files: []string{"stdin.go"}, Text: []byte(text)}, nil
	}
	return &gosession.Program{Path: filepath.Dir(r.File), Files: []string{r.File}}, nil
}

// hasPackageClause reports whether the first token of a text is that of a package clause.
func hasPackageClause(text string) bool {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	_, first, _ := s.Scan()
	return first == token.PACKAGE
}

// runProgram runs a Go program as the go command does. The program writes to the streams of the
// process and receives its signals.
func (r *Run) runProgram(session *gosession.Session, p *gosession.Program, stdout, stderr io.Writer) error {
	switch {
	case len(r.Parameter) > 0:
		return fmt.Errorf("-p %s: a program has no parameters; pass arguments after its name", r.Parameter[0])
	case r.Output != "":
		return fmt.Errorf("-o %s: a program makes no notebook; redirect its standard output", r.Output)
	case r.Timeout < 0:
		return fmt.Errorf("--timeout %s: want a duration of at least 0", r.Timeout)
	}
	ctx := context.Background()
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Timeout)
		defer cancel()
	}
	p.Stdout, p.Stderr = stdout, stderr
	if err := importFrom(session, r.File); err != nil {
		return err
	}
	if err := session.LoadProgram(ctx, *p, func(text string) { fmt.Fprintln(stderr, text) }); err != nil {
		return compileError(err, stderr)
	}
	readProcessInput(session, os.Stdin, stdout)
	out := &outputs{stdout: printer.New(stdout), stderr: stderr}
	reply := session.RunProgram(ctx, out.show)
	return r.statusOf(reply, ctx.Err() != nil, stderr)
}

// statusOf returns the exit status of a program whose outputs and errors have been printed.
func (r *Run) statusOf(reply protocol.ExecuteReply, timedOut bool, stderr io.Writer) error {
	var status ExitStatus
	switch {
	case reply.Status == "ok":
		return nil
	case timedOut:
		return fmt.Errorf("%s: Timeout: the program took longer than %v", r.File, r.Timeout)
	case reply.Ename == "exit":
		if _, err := fmt.Sscanf(reply.Evalue, "exit status %d", &status); err == nil {
			return status
		}
	case reply.Ename == "panic", reply.Ename == "fatal error", reply.Ename == "out of memory":
		fmt.Fprintln(stderr, ExitStatus(2))
		return ExitStatus(2)
	}
	return ExitStatus(1)
}

// compileError prints the errors of a program as the go command does, with paths relative to the
// working directory.
func compileError(err error, stderr io.Writer) error {
	var broken *gosession.ProgramError
	if !errors.As(err, &broken) {
		return err
	}
	folder, _ := os.Getwd()
	dot := "." + string(filepath.Separator)
	for i, m := range broken.Mistakes {
		if relative, err := filepath.Rel(folder, m.Filename); err == nil && m.Filename != "" && !strings.HasPrefix(relative, "..") {
			broken.Mistakes[i].Filename = dot + relative
			if broken.Imports {
				broken.Mistakes[i].Filename = relative
			}
		}
	}
	var b bytes.Buffer
	if !broken.Imports {
		b.WriteString("# command-line-arguments\n")
	}
	text := broken.Error()
	for _, before := range []string{"\n\t", " at "} { // other positions in the message
		text = strings.ReplaceAll(text, before+folder+string(filepath.Separator), before+dot)
	}
	b.WriteString(text + "\n")
	_, _ = stderr.Write(b.Bytes())
	return ExitStatus(1)
}
