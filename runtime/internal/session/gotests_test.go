package session

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/testing/gotree"
	"gosphere/kernel/protocol"
)

// A goTest is one program of Go's own tests.
type goTest struct {
	path   string // below $GOROOT/test
	source string
	cause  string // why it is known to fail; "" for most
}

// readGoTests reads the programs that run without arguments, and the known failures listed in
// ../testdata/gotests.md. It returns the folder of the programs.
func readGoTests(t *testing.T) (dir string, list []goTest) {
	t.Helper()
	dir = gotree.Tests()
	known, left := readKnownFailures(t)
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	more, _ := filepath.Glob(filepath.Join(dir, "*", "*.go"))
	for _, file := range append(files, more...) {
		data, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(data, []byte("// run\n")) {
			continue
		}
		path, err := filepath.Rel(dir, file)
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.ToSlash(path)
		if !slices.Contains(left, path) {
			list = append(list, goTest{path, string(data), known[path]})
		}
	}
	if len(list) == 0 {
		t.Skip("Go's own tests are not in GOROOT")
	}
	return dir, list
}

// printsToStderr matches calls of the predeclared print functions, which write to standard error.
var printsToStderr = regexp.MustCompile(`(?m)(^|[^.\w])print(ln)?\(`)

var codeName = regexp.MustCompile("`([^`]+\\.go)`")

// readKnownFailures returns the causes of failures by program, and the programs that need arguments
// or other files.
func readKnownFailures(t *testing.T) (causes map[string]string, left []string) {
	t.Helper()
	data, err := os.ReadFile("../testdata/gotests.md")
	if err != nil {
		t.Fatal(err)
	}
	causes = map[string]string{}
	cause, chapter := "", ""
	for _, line := range strings.Split(string(data), "\n") {
		switch {
		case strings.HasPrefix(line, "## "):
			chapter = line
		case strings.HasPrefix(line, "### "):
			cause = line[4:]
		case strings.HasPrefix(line, "- `"):
			causes[codeName.FindStringSubmatch(line)[1]] = cause
		case strings.Contains(chapter, "does not run compiled"):
			for _, m := range codeName.FindAllStringSubmatch(line, -1) {
				left = append(left, m[1])
			}
		}
	}
	return causes, left
}

// dependsOnMachine lists causes whose programs may pass on another machine, or run for a long time.
var dependsOnMachine = []string{"Too slow", "Recursion too deep", "Finalizers and what is alive", "Allocations are counted", "Memory of the process"}

// TestGoTestPrograms plays a sample of Go's own test programs, and all that are known to fail in
// the same way everywhere. GOTESTS=PART selects the programs whose paths contain PART instead.
func TestGoTestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	dir, list := readGoTests(t)
	t.Chdir(dir)
	arguments := os.Args
	os.Args = os.Args[:1]
	defer func() { os.Args = arguments }()
	part, chosen := os.LookupEnv("GOTESTS")
	for i, program := range list {
		switch {
		case chosen && !strings.Contains(program.path, part):
			continue
		case !chosen && program.cause == "" && i%13 != 0:
			continue
		case slices.Contains(dependsOnMachine, program.cause):
			continue
		}
		if err := os.Chdir(dir); err != nil { // programs change it
			t.Fatal(err)
		}
		t.Run(program.path, func(t *testing.T) { playGoTest(t, program) })
	}
}

func playGoTest(t *testing.T, program goTest) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // programs set it to 1 and leave it so
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))   // likewise
	s := newTestSession(t)
	end, output, ok := playFile(s, 1, protocol.ExecuteRequest{Code: program.source, File: program.path, Line: 1, Silent: true})
	if !ok {
		t.Skip("it takes longer than the test waits")
	}
	switch {
	case end.failure == nil && program.cause != "":
		t.Errorf("passes; it was known to fail because of: %s", program.cause)
	case end.failure != nil && program.cause == "":
		t.Errorf("%s\n%s", end.failure, strings.Join(end.failure.traceback, "\n"))
	}
	if program.cause != "" {
		return
	}
	want, err := os.ReadFile(strings.TrimSuffix(program.path, ".go") + ".out")
	if err == nil && printsToStderr.MatchString(program.source) {
		return // its standard error is in the file too
	}
	if got := strings.TrimRight(output, " \t\n"); got != strings.TrimRight(string(want), " \t\n") {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}
