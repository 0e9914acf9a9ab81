package override

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"text/template"

	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/guard/sharing"
)

// set changes an entry as code of cells does, and get reads one.
func set[K comparable, V any](m map[K]V, key K, value V) {
	defer sharing.LockMap(reflect.ValueOf(m).Pointer(), true)()
	m[key] = value
}

func get[K comparable, V any](m map[K]V, key K) V {
	defer sharing.LockMap(reflect.ValueOf(m).Pointer(), false)()
	return m[key]
}

func TestEncodersAndTemplatesWaitForWriters(t *testing.T) {
	g := sharingGuard()
	f := functions{g, nil}.streamSupport()
	m := map[string]int{"a": 1}
	text := template.Must(template.New("x").Parse("{{range $k, $v := .}}{{$k}}{{end}}"))
	html := htmltemplate.Must(htmltemplate.New("x").Parse("{{range $k, $v := .}}{{$k}}{{end}}"))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			encoder := f["GobNewEncoder"].(func(io.Writer) *gob.Encoder)(io.Discard)
			for i := range 200 {
				set(m, fmt.Sprint(i%9), i)
				var data bytes.Buffer
				_ = gob.NewEncoder(&data).Encode(map[string]int{fmt.Sprint(i % 5): i})
				for _, err := range []error{
					f["GobEncode"].(func(*gob.Encoder, any) error)(encoder, m),
					f["GobDecode"].(func(*gob.Decoder, any) error)(f["GobNewDecoder"].(func(io.Reader) *gob.Decoder)(&data), &m),
					f["TextExecute"].(func(*template.Template, io.Writer, any) error)(text, io.Discard, m),
					f["TextExecuteNamed"].(func(*template.Template, io.Writer, string, any) error)(text, io.Discard, "x", m),
					f["HTMLExecute"].(func(*htmltemplate.Template, io.Writer, any) error)(html, io.Discard, m),
				} {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	set(m, "a", 1) // would hang if a lock had been kept
	coding.Range(func(id, _ any) bool { t.Errorf("goroutine %x still encodes", id); return true })
}

func TestMapsAreFreeWhileEncodersWait(t *testing.T) {
	f := functions{sharingGuard(), nil}.streamSupport()
	t.Run("gob", func(t *testing.T) {
		encodeBesideWriter(t, func(w io.Writer, v any) error {
			return f["GobEncode"].(func(*gob.Encoder, any) error)(f["GobNewEncoder"].(func(io.Writer) *gob.Encoder)(w), v)
		})
	})
	t.Run("json", func(t *testing.T) {
		encodeBesideWriter(t, func(w io.Writer, v any) error {
			return f["JSONEncode"].(func(*json.Encoder, any) error)(f["JSONNewEncoder"].(func(io.Writer) *json.Encoder)(w), v)
		})
	})
}

// encodeBesideWriter encodes a map to a pipe whose reader changes the map before it reads on. It
// hangs if the encoder holds the map's lock while it writes.
func encodeBesideWriter(t *testing.T, encode func(io.Writer, any) error) {
	t.Helper()
	m := map[string]int{"a": 1}
	r, w := io.Pipe()
	go func() {
		one := make([]byte, 1)
		for i := 0; ; i++ {
			if _, err := r.Read(one); err != nil {
				return
			}
			set(m, "b", i)
		}
	}()
	if err := encode(w, m); err != nil {
		t.Error(err)
	}
	w.Close()
}

// TestMapsAreFreeWhileDecodersWait decodes into a map from a pipe whose writer uses the map.
func TestMapsAreFreeWhileDecodersWait(t *testing.T) {
	f := functions{sharingGuard(), nil}.streamSupport()
	m := map[string]int{"a": 1}
	r, w := io.Pipe()
	go func() {
		for _, piece := range []string{`{"b"`, `: 2}`} {
			set(m, "c", 3)
			_, _ = io.WriteString(w, piece)
		}
		w.Close()
	}()
	decoder := f["JSONNewDecoder"].(func(io.Reader) *json.Decoder)(r)
	if err := f["JSONDecode"].(func(*json.Decoder, any) error)(decoder, &m); err != nil || m["b"] != 2 || m["c"] != 3 {
		t.Errorf("%v, %v", m, err)
	}
}

func TestGobReadsNoByteTooMany(t *testing.T) {
	f := functions{guard.New(), nil}.streamSupport()
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(7); err != nil {
		t.Fatal(err)
	}
	data.WriteString("rest")
	n := 0
	if err := f["GobDecode"].(func(*gob.Decoder, any) error)(f["GobNewDecoder"].(func(io.Reader) *gob.Decoder)(&data), &n); err != nil || n != 7 || data.String() != "rest" {
		t.Errorf("%d, %v, left %q", n, err, data.String())
	}
}

// failing is a writer that always fails.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestTemplatesWriteWhatTheyHaveBeforeAnError(t *testing.T) {
	execute := functions{sharingGuard(), nil}.streamSupport()["TextExecute"].(func(*template.Template, io.Writer, any) error)
	var text strings.Builder
	if err := execute(template.Must(template.New("x").Parse("a{{.None.None}}")), &text, 3); err == nil || text.String() != "a" {
		t.Errorf("%q, %v", text.String(), err)
	}
	if err := execute(template.Must(template.New("x").Parse("a")), failing{}, 3); err == nil || err.Error() != "full" {
		t.Errorf("got %v", err)
	}
}

// sharingGuard returns a guard that assumes that goroutines share maps.
func sharingGuard() *guard.Guard {
	g := guard.New()
	g.Sharing.Share("net/http")
	return g
}

func TestCompiledCallsWaitForWriters(t *testing.T) {
	g := sharingGuard()
	m := map[string]any{"inner": map[string]int{"a": 1}}
	inner := m["inner"].(map[string]int)
	functions := functions{g, nil}.holdingSupport()
	sprint := functions["FmtSprint"].(func(...any) string)
	marshal := functions["JSONMarshal"].(func(any) ([]byte, error))
	unmarshal := functions["JSONUnmarshal"].(func([]byte, any) error)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 300 {
				set(inner, fmt.Sprint(i%7), i)
				sprint(m, struct{ X any }{[]any{m}})
				if _, err := marshal(m); err != nil {
					t.Error(err)
				}
				if err := unmarshal([]byte(`{"b": 2, "c": 3}`), &inner); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	set(inner, "a", 1) // would hang if a lock had been kept
}

// reader reads the map while it is printed, as a String method may do.
type reader struct{ m map[string]int }

func (r reader) String() string {
	value := get(r.m, "a") + 1
	set(r.m, "a", value)
	return fmt.Sprint(value)
}

func TestCallsBackMayUseTheMapsThatAreHeld(t *testing.T) {
	g := sharingGuard()
	m := map[string]int{"a": 1}
	sprint := functions{g, nil}.holdingSupport()["FmtSprint"].(func(...any) string)
	if got := sprint(m, reader{m}); got != "map[a:1] 2" {
		t.Errorf("got %q", got)
	}
	set(m, "b", 2) // would hang if a lock had been kept
}
