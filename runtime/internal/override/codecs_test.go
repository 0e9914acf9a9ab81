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

// adapted returns an override that is made from the original.
func adapted[F any](g functions, name string, original F) F {
	return g.adapters()[name](reflect.ValueOf(original)).Interface().(F)
}

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
	f := functions{Guard: g}
	m := map[string]int{"a": 1}
	text := template.Must(template.New("x").Parse("{{range $k, $v := .}}{{$k}}{{end}}"))
	html := htmltemplate.Must(htmltemplate.New("x").Parse("{{range $k, $v := .}}{{$k}}{{end}}"))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			encoder := adapted(f, "encoding/gob.NewEncoder", gob.NewEncoder)(io.Discard)
			for i := range 200 {
				set(m, fmt.Sprint(i%9), i)
				var data bytes.Buffer
				_ = gob.NewEncoder(&data).Encode(map[string]int{fmt.Sprint(i % 5): i})
				for _, err := range []error{
					adapted(f, "(*encoding/gob.Encoder).Encode", (*gob.Encoder).Encode)(encoder, m),
					adapted(f, "(*encoding/gob.Decoder).Decode", (*gob.Decoder).Decode)(adapted(f, "encoding/gob.NewDecoder", gob.NewDecoder)(&data), &m),
					adapted(f, "(*text/template.Template).Execute", (*template.Template).Execute)(text, io.Discard, m),
					adapted(f, "(*text/template.Template).ExecuteTemplate", (*template.Template).ExecuteTemplate)(text, io.Discard, "x", m),
					adapted(f, "(*html/template.Template).Execute", (*htmltemplate.Template).Execute)(html, io.Discard, m),
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
	f := functions{Guard: sharingGuard()}
	t.Run("gob", func(t *testing.T) {
		encodeBesideWriter(t, func(w io.Writer, v any) error {
			return adapted(f, "(*encoding/gob.Encoder).Encode", (*gob.Encoder).Encode)(adapted(f, "encoding/gob.NewEncoder", gob.NewEncoder)(w), v)
		})
	})
	t.Run("json", func(t *testing.T) {
		encodeBesideWriter(t, func(w io.Writer, v any) error {
			return f.streamSupport()["JSONEncode"].(func(*json.Encoder, any) error)(f.streamSupport()["JSONNewEncoder"].(func(io.Writer) *json.Encoder)(w), v)
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
	f := functions{Guard: sharingGuard()}
	m := map[string]int{"a": 1}
	r, w := io.Pipe()
	go func() {
		for _, piece := range []string{`{"b"`, `: 2}`} {
			set(m, "c", 3)
			_, _ = io.WriteString(w, piece)
		}
		w.Close()
	}()
	decoder := f.streamSupport()["JSONNewDecoder"].(func(io.Reader) *json.Decoder)(r)
	if err := f.streamSupport()["JSONDecode"].(func(*json.Decoder, any) error)(decoder, &m); err != nil || m["b"] != 2 || m["c"] != 3 {
		t.Errorf("%v, %v", m, err)
	}
}

func TestGobReadsNoByteTooMany(t *testing.T) {
	f := functions{Guard: guard.New()}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(7); err != nil {
		t.Fatal(err)
	}
	data.WriteString("rest")
	n := 0
	if err := adapted(f, "(*encoding/gob.Decoder).Decode", (*gob.Decoder).Decode)(adapted(f, "encoding/gob.NewDecoder", gob.NewDecoder)(&data), &n); err != nil || n != 7 || data.String() != "rest" {
		t.Errorf("%d, %v, left %q", n, err, data.String())
	}
}

// fullWriter is a writer that always fails.
type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestTemplatesWriteWhatTheyHaveBeforeAnError(t *testing.T) {
	execute := adapted(functions{Guard: sharingGuard()}, "(*text/template.Template).Execute", (*template.Template).Execute)
	var text strings.Builder
	if err := execute(template.Must(template.New("x").Parse("a{{.None.None}}")), &text, 3); err == nil || text.String() != "a" {
		t.Errorf("%q, %v", text.String(), err)
	}
	if err := execute(template.Must(template.New("x").Parse("a")), fullWriter{}, 3); err == nil || err.Error() != "full" {
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
	functions := functions{Guard: g}.holdingSupport()
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
	sprint := functions{Guard: g}.holdingSupport()["FmtSprint"].(func(...any) string)
	if got := sprint(m, reader{m}); got != "map[a:1] 2" {
		t.Errorf("got %q", got)
	}
	set(m, "b", 2) // would hang if a lock had been kept
}
