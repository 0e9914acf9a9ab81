package session

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// testingCalls has statements that call each exported method of the types of package testing, by
// type and method. In those of M and PB the receivers are m and p, else x. Each entry is a test, a
// benchmark or a fuzz test of its own.
var testingCalls = map[string]map[string]string{
	"T": merged(ofAll, map[string]string{
		"Deadline": `_, ok := x.Deadline(); x.Log(ok)`,
		"Parallel": `x.Run("a", func(x *testing.T) { x.Parallel(); try(x, x.Parallel); try(x, func() { x.Setenv("K", "v") }); try(x, func() { x.Chdir(os.TempDir()) }); x.Log("a") }); x.Log("after"); x.Run("b", func(x *testing.T) { x.Setenv("K", "v"); try(x, x.Parallel) })`,
		"Run":      `x.Log(x.Run("sub", func(x *testing.T) { x.Log(x.Name()); x.Run("sub", func(x *testing.T) { x.Log(x.Name()) }) }), x.Run("sub", func(x *testing.T) { x.Log(x.Name()) }), x.Run("a b/é\n", func(x *testing.T) { x.Log(x.Name()); x.Fail() }))`,
	}),
	"B": merged(ofAll, map[string]string{
		"Elapsed":        `x.Log(x.Elapsed() >= 0)`,
		"Loop":           `n := 0; for x.Loop() { n++ }; x.Log(n, x.N)`,
		"ReportAllocs":   `x.ReportAllocs(); for range x.N { kept = append(kept, new(int)) }`,
		"ReportMetric":   `x.ReportMetric(2.5, "units/op"); try(x, func() { x.ReportMetric(1, "") }); try(x, func() { x.ReportMetric(1, "a b") })`,
		"ResetTimer":     `x.ResetTimer(); for range x.N { }; x.ResetTimer()`,
		"Run":            `x.Log(x.Run("sub", func(x *testing.B) { x.Log(x.Name(), x.N) }), x.Run("none", func(x *testing.B) { x.Fail() }))`,
		"RunParallel":    `var n atomic.Int64; x.RunParallel(func(p *testing.PB) { for p.Next() { n.Add(1) } }); x.Log(n.Load() == int64(x.N))`,
		"SetBytes":       `x.SetBytes(1 << 20)`,
		"SetParallelism": `x.SetParallelism(2); x.RunParallel(func(p *testing.PB) { for p.Next() { } })`,
		"StartTimer":     `x.StartTimer(); x.StartTimer()`,
		"StopTimer":      `x.StopTimer(); x.StopTimer(); x.StartTimer()`,
	}),
	"F": merged(ofAll, map[string]string{
		"Add":  `x.Add(1, "a"); x.Add(2, "b"); try(x, func() { x.Add(func() {}) }); x.Fuzz(func(t *testing.T, n int, s string) { t.Log(n, s); if n == 2 { t.Error("two") } })`,
		"Fuzz": `x.Add(byte(3)); x.Fuzz(func(t *testing.T, b byte) { t.Log(b, t.Name()); t.Skip("no") }); try(x, func() { x.Fuzz(func(t *testing.T, b byte) {}) })`,
	}),
	"PB": {"Next": `n := 0; for p.Next() { n++ }; total.Add(int64(n))`},
	"M":  {"Run": `fmt.Println("before"); status := m.Run(); fmt.Println("after", status); os.Exit(status)`},
}

// ofAll are the methods of T, B and F, which are those of testing.TB.
var ofAll = map[string]string{
	"ArtifactDir": `d := x.ArtifactDir(); s, err := os.Stat(d); x.Log(err == nil && s.IsDir())`,
	"Attr":        `x.Attr("key", "value"); try(x, func() { x.Attr("a b", "c") }); try(x, func() { x.Attr("a", "b\nc") })`,
	"Chdir":       `before, _ := os.Getwd(); d := x.TempDir(); x.Cleanup(func() { now, _ := os.Getwd(); fmt.Println("left", now == before) }); x.Chdir(d); now, _ := os.Getwd(); x.Log(now == d, os.Getenv("PWD") == d)`,
	"Cleanup":     `x.Cleanup(func() { x.Log("first") }); x.Cleanup(func() { x.Log("second"); x.Cleanup(func() { x.Log("third") }) }); x.Log("body")`,
	"Context":     `c := x.Context(); x.Log(c.Err()); x.Cleanup(func() { x.Log(c.Err()) })`,
	"Error":       `x.Error("a", 1, "b", "c", 2, 3); x.Log(x.Failed())`,
	"Errorf":      `x.Errorf("a %d\nb\n", 1); x.Log(x.Failed())`,
	"Fail":        `x.Fail(); x.Log(x.Failed()); x.Fail()`,
	"FailNow":     `defer fmt.Println("deferred"); x.FailNow(); x.Log("no")`,
	"Failed":      `x.Log(x.Failed())`,
	"Fatal":       `x.Fatal("a", nil, "b"); x.Log("no")`,
	"Fatalf":      `x.Fatalf("%v %d", x.Failed(), 1); x.Log("no")`,
	"Helper":      `func() { x.Helper(); x.Log("caller"); func() { x.Helper(); x.Log("caller") }() }()`,
	"Log":         `x.Log(); x.Log("a", "b", 1, 2); x.Log("a\nb\n\n")`,
	"Logf":        `x.Logf(""); x.Logf("%q %d", "a", 1); x.Logf("a\n\tb\n")`,
	"Name":        `x.Log(x.Name())`,
	"Output":      `fmt.Fprint(x.Output(), "a"); fmt.Fprintf(x.Output(), "b\nc"); fmt.Fprintln(x.Output()); x.Log("d")`,
	"Setenv":      `x.Cleanup(func() { fmt.Printf("%q\n", os.Getenv("GOSPHERE_K")) }); x.Setenv("GOSPHERE_K", "v"); x.Log(os.Getenv("GOSPHERE_K"))`,
	"Skip":        `x.Skip("a", 1); x.Log("no")`,
	"SkipNow":     `defer func() { x.Log(x.Skipped()) }(); x.SkipNow()`,
	"Skipf":       `x.Error("e"); x.Skipf("%d", 1)`,
	"Skipped":     `x.Log(x.Skipped())`,
	"TempDir":     `a, b := x.TempDir(), x.TempDir(); _, err := os.Stat(a); x.Log(a != b, err); x.Cleanup(func() { _, err := os.Stat(a); x.Log(err) })`,
}

func merged(maps ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range maps {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// testingFile returns the declarations of a test file: a test, benchmark or fuzz test for each
// call.
func testingFile(withMain bool) string {
	var b strings.Builder
	b.WriteString("var kept []*int\nvar total atomic.Int64\n" +
		"func try(x testing.TB, f func()) { defer func() { if r := recover(); r != nil { x.Log(\"panics:\", r) } }(); f() }\n")
	form := map[string][2]string{"T": {"Test", "*testing.T"}, "B": {"Benchmark", "*testing.B"}, "F": {"Fuzz", "*testing.F"}}
	for _, kind := range []string{"T", "B", "F"} {
		for _, name := range sortedKeys(testingCalls[kind]) {
			fmt.Fprintf(&b, "func %s%s(x %s) { %s }\n", form[kind][0], name, form[kind][1], testingCalls[kind][name])
		}
		// The same through the interface.
		for _, name := range sortedKeys(ofAll) {
			fmt.Fprintf(&b, "func %sOfTB%s(y %s) { func(x testing.TB) { %s }(y) }\n", form[kind][0], name, form[kind][1], ofAll[name])
		}
	}
	fmt.Fprintf(&b, "func BenchmarkPB(x *testing.B) { x.RunParallel(func(p *testing.PB) { %s }); x.Log(total.Swap(0) >= int64(x.N)) }\n", testingCalls["PB"]["Next"])
	if withMain {
		fmt.Fprintf(&b, "func TestMain(m *testing.M) { %s }\n", testingCalls["M"]["Run"])
	}
	return b.String()
}

func sortedKeys(m map[string]string) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

var (
	times  = regexp.MustCompile(`\(\d+\.\d+s\)|[\d.]+ ns/op|[\d.]+ MB/s|\d+ B/op|\d+ allocs/op|\t *\d+\t|-\d+ +\t`)
	places = regexp.MustCompile(`(?m)^( *)(?:\w+\.go|Cell \[\d+\]):\d+: `)
	extra  = regexp.MustCompile(`(?m)^(?:ok|FAIL|PASS|goos|goarch|pkg|cpu|exit status|magic error|=== ARTIFACTS|\?)\b.*\n?`)
	blanks = regexp.MustCompile(`[ \t]+`)
)

// plainResults returns the output of tests without times, positions and summaries.
func plainResults(text string) []string {
	text = places.ReplaceAllString(times.ReplaceAllString(extra.ReplaceAllString(text, ""), " "), "$1")
	var list []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(blanks.ReplaceAllString(line, " "))
		if line != "" && !strings.HasPrefix(line, "(") {
			list = append(list, line)
		}
	}
	return list
}

// The oracle is go test. A later release's methods are missing in the table until it has them.
func TestMethodsOfPackageTesting(t *testing.T) {
	for name, typ := range map[string]reflect.Type{
		"T": reflect.TypeFor[*testing.T](), "B": reflect.TypeFor[*testing.B](), "F": reflect.TypeFor[*testing.F](),
		"M": reflect.TypeFor[*testing.M](), "PB": reflect.TypeFor[*testing.PB](),
	} {
		for m := range typ.Methods() {
			if testingCalls[name][m.Name] == "" {
				t.Errorf("no call of (*testing.%s).%s", name, m.Name)
			}
		}
	}
	for m := range reflect.TypeFor[testing.TB]().Methods() {
		if m.IsExported() && ofAll[m.Name] == "" {
			t.Errorf("no call of testing.TB.%s", m.Name)
		}
	}
	if version, err := exec.Command("go", "env", "GOVERSION").Output(); err != nil || strings.TrimSpace(string(version)) != runtime.Version() {
		t.Skip("needs the go command of the release that built the test")
	}
	s, _ := moduleSession(t)
	const imports = "import (\"fmt\"; \"os\"; \"sync/atomic\"; \"testing\")\n"
	writeFiles(t, map[string]string{"go.mod": "module m\n\ngo 1.27\n", "p/p_test.go": "package p\n\n" + imports + testingFile(true)})
	if text := printed(s, imports+testingFile(false)); text != "" {
		t.Fatalf("the cell prints %s", text)
	}
	// go test runs no benchmarks after a test that fails.
	for _, flags := range []string{"-v", "-v -run XXX -bench . -benchtime 3x"} {
		command := exec.Command("go", strings.Fields("test -vet=off -timeout 0 "+flags+" ./p")...)
		command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		output, _ := command.CombinedOutput()
		want := plainResults(string(output))
		if len(want) < 60 {
			t.Fatalf("go test prints %s", output)
		}
		inCell := slices.DeleteFunc(slices.Clone(want), func(line string) bool { return line == "before" || strings.HasPrefix(line, "after ") })
		for _, one := range []struct {
			of   string
			want []string
		}{{" ./p", want}, {"", inCell}} {
			got := plainResults(printed(s, "%test "+flags+one.of))
			for i := range max(len(got), len(one.want)) {
				if i >= len(got) || i >= len(one.want) || got[i] != one.want[i] {
					t.Errorf("%%test %s%s: line %d of %d\ngot  %q\nwant %q", flags, one.of, i, len(one.want), got[min(i, len(got)):min(i+4, len(got))], one.want[min(i, len(one.want)):min(i+4, len(one.want))])
					break
				}
			}
		}
	}
}
