package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// embedFolder makes a folder with files to embed and returns its name.
func embedFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.txt": "hello", "my b.txt": "bee", "data/x.txt": "x", "data/_y.txt": "y", "data/.z": "z", "data/.git/config": "g",
		"part/go.mod": "module part", "part/p.txt": "p", "outer/o.txt": "o", "outer/part/go.mod": "module part", "outer/part/p.txt": "p",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

const showTree = "\nfs.WalkDir(tree, \".\", func(p string, d fs.DirEntry, err error) error { fmt.Print(p, \" \"); return err })"

func TestCellsEmbedFiles(t *testing.T) {
	dir := embedFolder(t)
	s := newTestSession(t)
	t.Cleanup(s.Close)
	s.ImportFrom(dir)
	plays(t, s,
		[2]string{"//go:embed a.txt\nvar text string\nfmt.Println(text)", "hello\n"},
		[2]string{"text += \"!\"\nfmt.Println(text)", "hello!\n"},
		// Blank lines and comments may follow a directive, and the import is that of Go.
		[2]string{"import _ \"embed\"\n//go:embed \"my b.txt\"\n\n// other is a file.\nvar other string\nfmt.Println(other)", "bee\n"},
		[2]string{"type name []byte\nvar (\n\tn = 1\n\t//go:embed a.txt\n\traw name\n)\nraw[0] = 'j'\nfmt.Println(string(raw), n)", "jello 1\n"},
		[2]string{"//go:embed data\n//go:embed `a.txt`\nvar tree embed.FS" + showTree, ". a.txt data data/x.txt "},
		[2]string{"//go:embed all:data outer\nvar tree embed.FS" + showTree, ". data data/.z data/_y.txt data/x.txt outer outer/o.txt "},
		[2]string{"//go:embed data/* data/.z\nvar tree embed.FS" + showTree, "data/.git"},
		[2]string{"//go:embedded a.txt\nvar text string\nfmt.Printf(\"%q\", text)", `""`},
		[2]string{"func f() string { return text + \".\" }\n//go:embed a.txt\nvar text string\nfmt.Println(f())", "hello.\n"},
	)
	// A changed file is read when its cell runs again.
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("changed"), 0o666); err != nil {
		t.Fatal(err)
	}
	plays(t, s, [2]string{"fmt.Println(text)", "hello\n"}, [2]string{"//go:embed a.txt\nvar text string", ""}, [2]string{"fmt.Println(f())", "changed.\n"})
}

// In a program the variables have their files before any initializer runs.
func TestProgramsEmbedFiles(t *testing.T) {
	s := newTestSession(t)
	t.Cleanup(s.Close)
	s.ImportFrom(embedFolder(t))
	plays(t, s, [2]string{`package main

import (
	"embed"
	"fmt"
)

var size = len(text) + len(listed)
var listed, _ = tree.ReadDir("data")

//go:embed a.txt
var text string

//go:embed data
var tree embed.FS

func init() { fmt.Print(text, " ") }

func main() { fmt.Println(size) }
`, "hello 6\n"})
}

// The messages are the compiler's and the go command's.
func TestWrongEmbedDirectivesAreRefused(t *testing.T) {
	dir := embedFolder(t)
	s := newTestSession(t)
	t.Cleanup(s.Close)
	s.ImportFrom(dir)
	for source, want := range map[string]string{
		"//go:embed a.txt\nvar a, b string":                                    "line 1, column 1: go:embed cannot apply to multiple vars",
		"//go:embed a.txt\nvar a = \"x\"":                                      "line 1, column 1: go:embed cannot apply to var with initializer",
		"x := 1\n//go:embed a.txt\nvar a int":                                  "line 2, column 1: go:embed cannot apply to var of type int",
		"//go:embed a.txt\nvar a []int8":                                       "go:embed cannot apply to var of type []int8",
		"type own struct{}\n//go:embed a.txt\nvar a own":                       "go:embed cannot apply to var of type own",
		"//go:embed a.txt data/x.txt\nvar a string":                            "invalid go:embed: multiple files for type string",
		"//go:embed none\nvar a string":                                        "pattern none: no matching files found",
		"//go:embed ../a.txt\nvar a string":                                    "pattern ../a.txt: invalid pattern syntax",
		"//go:embed .\nvar a embed.FS":                                         "pattern .: invalid pattern syntax",
		"//go:embed [\nvar a embed.FS":                                         "pattern [: syntax error in pattern",
		"//go:embed\nvar a string":                                             "usage: //go:embed pattern...",
		"//go:embed \"a.txt\nvar a string":                                     "invalid quoted string in //go:embed: \"a.txt",
		"//go:embed part/p.txt\nvar a string":                                  "cannot embed part/p.txt: in different module",
		"//go:embed empty\nvar a embed.FS":                                     "cannot embed empty: contains no embeddable files",
		"//go:embed data/.git\nvar a embed.FS":                                 "cannot embed data/.git: invalid name .git",
		"//go:embed a.txt\nfunc f() {}":                                        "misplaced go:embed directive",
		"//go:embed a.txt\nx := 1":                                             "misplaced go:embed directive",
		"//go:embed a.txt\nvar (\n\ta string\n)":                               "misplaced go:embed directive",
		"func f() {\n\t//go:embed a.txt\n\tvar a string\n\t_ = a\n}":           "line 2, column 2: misplaced go:embed directive",
		"if true {\n\t//go:embed a.txt\n\tvar a string\n\t_ = a\n}":            "misplaced go:embed directive",
		"var a string //go:embed a.txt\nvar b string":                          "misplaced go:embed directive",
		"var (\n\ta string //go:embed a.txt\n\tb string\n)":                    "misplaced go:embed directive",
		"//go:embed a.txt\nvar a string\n//go:embed a.txt":                     "misplaced go:embed directive",
		"var a string\nvar (\n\tb string\n\t//go:embed a.txt\n)\nvar c string": "misplaced go:embed directive",
	} {
		reply := s.Execute(context.Background(), protocol.ExecuteRequest{Code: source, StoreHistory: true}, func(protocol.Content) {})
		if got := strings.Join(reply.Traceback, "\n"); reply.Ename != "compile error" || !strings.Contains(got, ", line ") || !strings.Contains(got, want) {
			t.Errorf("%s\nfails with %q %q, want %q", source, reply.Ename, got, want)
		}
	}
	if err := os.Symlink("a.txt", filepath.Join(dir, "link.txt")); err == nil {
		plays(t, s, [2]string{"//go:embed link.txt\nvar a string", "cannot embed link.txt: irregular file"})
	}
	// Nothing is declared by the cells that were refused.
	plays(t, s, [2]string{"a", "undefined: a"})
}
