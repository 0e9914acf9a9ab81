package std_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"gosphere/runtime/interp"
	"gosphere/runtime/interp/std"
)

func open(t testing.TB, o interp.Options, more ...interp.Source) *interp.Session {
	t.Helper()
	s, err := interp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Use(append([]interp.Source{std.Core}, more...)...); err != nil {
		t.Fatal(err)
	}
	return s
}

func eval(t testing.TB, s *interp.Session, source string) any {
	t.Helper()
	v, err := s.Eval(t.Context(), source)
	if err != nil {
		t.Errorf("%s\n%v", source, err)
		return nil
	}
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}

// Functions with type parameters, and those of packages that use others which sources may not
// import, work as in a program.
func TestTheStandardLibraryComputes(t *testing.T) {
	s := open(t, interp.Options{})
	for source, want := range map[string]string{
		"x := []int{3, 1, 2}; slices.Sort(x); x":                    "[1 2 3]",
		"slices.Sorted(maps.Keys(map[string]int{`b`: 1, `a`: 2}))":  "[a b]",
		"slices.Collect(strings.SplitSeq(`a,b`, `,`))":              "[a b]",
		"f := sync.OnceValue(func() int { return 3 }); f() + f()":   "6",
		"var p atomic.Pointer[int]; n := 4; p.Store(&n); *p.Load()": "4",
		"cmp.Compare(1, 2)": "-1",
		"type R struct{ N int `json:\"n\"` }; b, _ := json.Marshal(R{3}); string(b)":                                                  `{"n":3}`,
		"var r struct{ N int `json:\"n\"` }; err := json.Unmarshal([]byte(`{\"n\": 5}`), &r); fmt.Sprint(r, err)":                     "{5} <nil>",
		"h := sha256.Sum256([]byte(`a`)); hex.EncodeToString(h[:4])":                                                                  "ca978112",
		"regexp.MustCompile(`a+`).FindAllString(`aa b a`, -1)":                                                                        "[aa a]",
		"new(big.Int).Exp(big.NewInt(2), big.NewInt(70), nil)":                                                                        "1180591620717411303424",
		"time.Duration(90) * time.Second":                                                                                             "1m30s",
		"e := errors.Join(io.EOF, io.ErrUnexpectedEOF); errors.Is(e, io.EOF)":                                                         "true",
		"rand.New(rand.NewPCG(1, 2)).IntN(1000) < 1000":                                                                               "true",
		"ctx, cancel := context.WithCancel(context.Background()); cancel(); ctx.Err()":                                                "context canceled",
		"m := new(sync.Map); m.Store(1, 2); v, _ := m.Load(1); v":                                                                     "2",
		"var b strings.Builder; template.Must(template.New(``).Parse(`{{.}}!`)).Execute(&b, `x`); b.String()":                         "x!",
		"unique.Make(`a`) == unique.Make(`a`)":                                                                                        "true",
		"c := make(chan int, 3); go func() { defer close(c); for i := range 3 { c <- i } }(); n := 0; for i := range c { n += i }; n": "3",
	} {
		if got := fmt.Sprint(eval(t, s, source)); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
	// What reaches files, processes, the network or memory is not there.
	if _, err := s.Eval(t.Context(), "var p unsafe.Pointer"); err == nil {
		t.Error("unsafe is there without an import")
	}
	for _, path := range []string{"os", "os/exec", "net", "net/http", "syscall", "unsafe", "runtime", "runtime/debug", "plugin", "internal/abi", "gosphere/runtime/internal/generic/erased"} {
		if _, err := s.Eval(t.Context(), fmt.Sprintf("import _ %q", path)); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("import %q: %v", path, err)
		}
	}
}

// Functions of permitted packages that open files fail.
func TestTemplatesReadNoFiles(t *testing.T) {
	file := t.TempDir() + "/secret"
	if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, interp.Options{})
	if err := s.Bind("file", &file); err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"text/template", "html/template"} {
		for _, call := range []string{"template.ParseFiles(file)", "template.ParseGlob(file)", "template.New(`x`).ParseFiles(file)", "template.New(`x`).ParseGlob(file)"} {
			if got := fmt.Sprint(eval(t, s, fmt.Sprintf("import %q\n_, err := %s; err", pkg, call))); !strings.Contains(got, "no files") {
				t.Errorf("%s: %s gives %s", pkg, call, got)
			}
		}
	}
}

// A package in a file system is evaluated as a whole.
func TestPackagesOfFileSystems(t *testing.T) {
	files := fstest.MapFS{
		"p/a.go":       {Data: []byte("package p\n\nimport \"strings\"\n\nfunc Shout(s string) string { return strings.ToUpper(s) + mark() }\n")},
		"p/b.go":       {Data: []byte("// Package p is a test.\npackage p\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n\nvar count int\n\nfunc mark() string { count++; return fmt.Sprint(strings.Repeat(\"!\", count)) }\n")},
		"p/a_test.go":  {Data: []byte("package p\n\nsyntax error")},
		"p/c_plan9.go": {Data: []byte("package p\n\nfunc mark() string { return \"\" }\n")},
		"p/d.go":       {Data: []byte("//go:build ignore\n\npackage main\n")},
		"bad/a.go":     {Data: []byte("package bad\n\nimport x \"strings\"\n\nvar _ = x.ToUpper\n")},
		"bad/b.go":     {Data: []byte("package bad\n\nimport x \"bytes\"\n\nvar _ = x.ToUpper\n")},
		"two/a.go":     {Data: []byte("package one\n")},
		"two/b.go":     {Data: []byte("package two\n")},
		"wrong/a.go":   {Data: []byte("package wrong\n\nvar x int = \"text\"\n")},
		"empty/a.txt":  {Data: []byte("text")},
	}
	s := open(t, interp.Options{})
	if err := s.EvalFS(t.Context(), files, "p"); err != nil {
		t.Fatal(err)
	}
	shout, err := interp.Get[func(string) string](s, "Shout")
	if err != nil || shout("a") != "A!" || shout("b") != "B!!" {
		t.Errorf("Shout: %v", err)
	}
	for dir, want := range map[string]string{"bad": "give them different names", "two": "package two", "wrong": "a.go", "empty": "no Go files", "missing": "missing"} {
		if err := s.EvalFS(t.Context(), files, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", dir, err, want)
		}
	}
}

// The shape of Traefik's plugins: a package with a configuration and a constructor that wraps a
// handler. The program gives net/http with values, as yaegi's Exports.
func TestAPluginWrapsAHandler(t *testing.T) {
	plugin := fstest.MapFS{"plugin.go": {Data: []byte(`package plugin

import (
	"context"
	"net/http"
	"strings"
)

// Config holds the configuration of the plugin.
type Config struct {
	Headers map[string]string ` + "`json:\"headers,omitempty\"`" + `
}

// CreateConfig creates the default configuration.
func CreateConfig() *Config { return &Config{Headers: map[string]string{}} }

type demo struct {
	next    http.Handler
	headers map[string]string
	name    string
}

// New makes the handler.
func New(ctx context.Context, next http.Handler, config *Config, name string) (http.Handler, error) {
	return &demo{next, config.Headers, name}, nil
}

func (d *demo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for key, value := range d.headers {
		w.Header().Set(key, strings.ToUpper(value))
	}
	d.next.ServeHTTP(w, r)
}
`)}}
	served := interp.Exports{"net/http/http": {
		"Handler": reflect.ValueOf((*http.Handler)(nil)), "HandlerFunc": reflect.ValueOf((*http.HandlerFunc)(nil)), "ResponseWriter": reflect.ValueOf((*http.ResponseWriter)(nil)),
		"Request": reflect.ValueOf((*http.Request)(nil)), "Header": reflect.ValueOf((*http.Header)(nil)), "Error": reflect.ValueOf(http.Error),
	}}
	s := open(t, interp.Options{}, served)
	if err := s.EvalFS(t.Context(), plugin, "."); err != nil {
		t.Fatal(err)
	}
	create, _ := s.Lookup("CreateConfig")
	config := create.Call(nil)[0]
	config.Elem().FieldByName("Headers").Set(reflect.ValueOf(map[string]string{"X-Demo": "test"}))
	construct, _ := s.Lookup("New")
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "next") })
	made := construct.Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(next), config, reflect.ValueOf("demo")})
	if err, _ := made[1].Interface().(error); err != nil {
		t.Fatal(err)
	}
	handler := made[0].Interface().(http.Handler)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
				if w.Header().Get("X-Demo") != "TEST" || w.Body.String() != "next" {
					t.Errorf("the answer has %v and %q", w.Header(), w.Body)
				}
			}
		})
	}
	group.Wait()
}

// docs/from-yaegi.md names the issues. The outputs are those of compiled Go.
func TestProgramsThatYaegiHasOpenIssuesAbout(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"1571, embedded instances": {`
type box[T any] struct{ value T }
func (b *box[T]) Get() T { return b.value }
type Named struct {
	*box[string]
	Name string
}
n := Named{box: &box[string]{"inside"}, Name: "outside"}
fmt.Print(n.value, n.Get(), n.Name)`, "insideinsideoutside"},
		"1577, types that refer to each other": {`
type entry[K comparable, V any] struct {
	key  K
	owner *cache[K, V]
	call *call[K, V]
}
type call[K comparable, V any] struct{ entries []*entry[K, V]; done func(*cache[K, V]) (V, error) }
type cache[K comparable, V any] struct {
	entries map[K]*entry[K, V]
	calls   map[K]*call[K, V]
}
c := &cache[string, int]{entries: map[string]*entry[string, int]{}}
c.entries["a"] = &entry[string, int]{key: "a", owner: c, call: &call[string, int]{done: func(c *cache[string, int]) (int, error) { return len(c.entries), nil }}}
n, err := c.entries["a"].call.done(c)
fmt.Print(n, err)`, "1 <nil>"},
		"1605, methods of values in interfaces": {`
type Any interface{}
type Inner struct{ Text string }
func (Inner) MarshalJSON() ([]byte, error) { return []byte("{\"own\":1}"), nil }
type Outer struct {
	More string
	Inner
}
func show(v Any) string { b, err := json.Marshal(v); return fmt.Sprint(string(b), err) }
fmt.Print(show(Inner{"a"}), show(Outer{"b", Inner{"c"}}), show(map[string]Any{"k": Inner{}}))`, `{"own":1}<nil>{"own":1}<nil>{"k":{"own":1}}<nil>`},
		"633, an interface with methods": {`
type Labeled struct{ Label string }
func (l Labeled) String() string { return l.Label }
var s fmt.Stringer = &Labeled{"x"}
b, err := json.Marshal(s)
fmt.Print(string(b), err, s)`, `{"Label":"x"}<nil> x`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := open(t, interp.Options{Stdout: &out})
			if eval(t, s, c.source); out.String() != c.want {
				t.Errorf("printed %s, want %s", out.String(), c.want)
			}
		})
	}
}
