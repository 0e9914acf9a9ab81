package notebook

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestArgumentsBehindAProgramBelongToIt(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "script", "#!/usr/bin/env -S gosphere run\npackage main\n")
	for line, want := range map[string]string{
		"run prog.go -n 5 a":                "run prog.go|-n 5 a",
		"run --timeout 3m prog.go -p x":     "run --timeout 3m prog.go|-p x",
		"run a.go b.go c -o d":              "run a.go b.go|c -o d",
		"run prog.go -- -n":                 "run prog.go|-n",
		"run . -v":                          "run .|-v",
		"run - -v":                          "run -|-v",
		"run script -v":                     "run script|-v",
		"run example.com/tool@latest -h":    "run example.com/tool@latest|-h",
		"run --device cpu prog.go x":        "run --device cpu prog.go|x",
		"run book.ipynb -p n=3":             "run book.ipynb -p n=3|",
		"run -p n=3 book.ipynb other.ipynb": "run -p n=3 book.ipynb other.ipynb|",
		"run lesson.cells.go -o out.ipynb":  "run lesson.cells.go -o out.ipynb|",
		"train run prog.go":                 "train run prog.go|",
		"run":                               "run|",
		"run --help":                        "run --help|",
	} {
		ours, program := SplitArguments(strings.Fields(line))
		if got := strings.Join(ours, " ") + "|" + strings.Join(program, " "); got != want {
			t.Errorf("%s is split into %s, want %s", line, got, want)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
}

// TestProgramsRunAsTheGoCommandRunsThem runs each form in a separate process, because a program
// ends it.
func TestProgramsRunAsTheGoCommandRunsThem(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOWORK", "off")
	write(t, "go.mod", "module prog\ngo 1.24\n")
	write(t, "main.go", `package main

import ("bufio"; "flag"; "fmt"; "os"; "prog/sub")

type T struct{ a int }

func main() {
	n := flag.Int("n", 1, "n")
	flag.Parse()
	fmt.Printf("%d %v %s %d %T\n", *n, flag.Args(), helper(), sub.F(), T{})
	for s := bufio.NewScanner(os.Stdin); s.Scan(); { fmt.Println("line", s.Text()) }
	if *n == 3 { os.Exit(3) }
	if *n == 4 { var p *T; fmt.Println(p.a) }
}
`)
	write(t, "helper.go", "package main\nfunc helper() string { return \"helped\" }\n")
	write(t, "helper_test.go", "package main\nfunc nonsense() { undefined() }\n")
	write(t, "sub/sub.go", "package sub\nfunc F() int { return 7 }\n")
	write(t, "script", "#!/usr/bin/env -S gosphere run\npackage main\n\nimport (\"fmt\"; \"os\")\n\nfunc main() { fmt.Println(os.Args[1:]) }\n")
	write(t, "bad/x.go", "package other\n")
	for _, c := range []struct {
		line, stdin, stdout, stderr string
		status                      int
	}{
		{". -n 2 x", "a\nb\n", "2 [x] helped 7 main.T\nline a\nline b\n", "", 0},
		{"main.go helper.go x y", "", "1 [x y] helped 7 main.T\n", "", 0},
		{". -n 3", "", "3 [] helped 7 main.T\n", "exit status 3", 3},
		{". -n 4", "", "4 [] helped 7 main.T\n", "main.main()\n\t", 2},
		{"main.go", "", "", "undefined: helper", 1},
		{"- -v", "package main\nimport (\"fmt\"; \"os\")\nfunc main() { fmt.Println(os.Args[1:]) }", "[-v]\n", "", 0},
		{"script -a b", "", "[-a b]\n", "", 0},
		{"bad", "", "", "package command-line-arguments is not a main package: its clause is package other, and a program is package main", 1},
		{"missing.go", "", "", "no file ", 1},
	} {
		command := exec.Command(os.Args[0], append([]string{"run"}, strings.Fields(c.line)...)...)
		command.Env = append(os.Environ(), asProgram+"=1")
		command.Stdin = strings.NewReader(c.stdin)
		var stdout, stderr strings.Builder
		command.Stdout, command.Stderr = &stdout, &stderr
		_ = command.Run()
		if status := command.ProcessState.ExitCode(); stdout.String() != c.stdout || !strings.Contains(stderr.String(), c.stderr) || status != c.status {
			t.Errorf("gosphere run %s: status %d, prints %q and %q, want %+v", c.line, status, stdout.String(), stderr.String(), c)
		}
	}
}
