package realtype

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"text/template"
	"unsafe"
)

// oldError is old for a type that is an error and gets a method Is.
func oldError(t *testing.T, name string) (forged *Type, value error) {
	forged = mustDeclare(t, name, typ[float64]())
	methods := []Method{onValue("Error", func(*float64) string { return "e" }, func(float64) string { return "e" })}
	if err := forged.SetMethods(methods); err != nil {
		t.Fatal(err)
	}
	value = Box(forged, 1.0).(error)
	wantSame(t, "before", errors.Is(value, io.EOF), false)
	is := func(target error) bool { return target == io.EOF }
	methods = append(methods, onValue("Is", func(_ *float64, target error) bool { return is(target) }, func(_ float64, target error) bool { return is(target) }))
	if err := forged.SetMethods(methods); err != nil {
		t.Fatal(err)
	}
	return forged, value
}

func TestRefreshReachesTheInsideOfCompiledTypes(t *testing.T) {
	type key struct{}
	_, v := old(t, "deep")
	_, failure := oldError(t, "failure")
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, v))
	defer cancel()
	ctx = context.WithoutCancel(ctx)
	var stored atomic.Value
	stored.Store(v)
	var pointer atomic.Pointer[[]any]
	pointer.Store(&[]any{v})
	joined := errors.Join(errors.New("other"), fmt.Errorf("wrapped: %w", failure))
	causes, stop := context.WithCancelCause(context.Background())
	stop(failure)
	Refresh([]any{&ctx, &stored, &pointer, &joined, &causes})

	wantSame(t, "context", fmt.Sprint(ctx.Value(key{})), "L1")
	wantSame(t, "atomic.Value", fmt.Sprint(stored.Load()), "L1")
	wantSame(t, "atomic.Pointer", fmt.Sprint(*pointer.Load()), "[L1]")
	wantSame(t, "joined errors", errors.Is(joined, io.EOF), true)
	wantSame(t, "cause", errors.Is(context.Cause(causes), io.EOF), true)
	stored.Store(Current(v)) // panics if the value stored before has another type
}

// A writer that has become an io.ReaderFrom is asked to read by the bufio.Writer before it.
func TestRefreshReachesWritersBehindWriters(t *testing.T) {
	var out bytes.Buffer
	write := func(p []byte) (int, error) { return out.Write(p) }
	read := func(io.Reader) (int64, error) { return 7, nil }
	forged := mustDeclare(t, "writer", typ[float64]())
	methods := []Method{onValue("Write", func(_ *float64, p []byte) (int, error) { return write(p) }, func(_ float64, p []byte) (int, error) { return write(p) })}
	if err := forged.SetMethods(methods); err != nil {
		t.Fatal(err)
	}
	buffered := bufio.NewWriter(Box(forged, 1.0).(io.Writer))
	n, _ := buffered.ReadFrom(bytes.NewReader([]byte("text")))
	wantSame(t, "read before", n, int64(4))
	encoder := json.NewEncoder(buffered)
	methods = append(methods, onValue("ReadFrom", func(_ *float64, r io.Reader) (int64, error) { return read(r) }, func(_ float64, r io.Reader) (int64, error) { return read(r) }))
	if err := forged.SetMethods(methods); err != nil {
		t.Fatal(err)
	}
	_ = buffered.Flush()
	Refresh([]any{&encoder})
	n, _ = buffered.ReadFrom(bytes.NewReader([]byte("text")))
	wantSame(t, "read afterwards", n, int64(7))
}

func TestRefreshReachesReflection(t *testing.T) {
	forged, v := old(t, "reflected")
	holder := struct {
		alone, within, pointer reflect.Value
		kind                   reflect.Type
		kinds                  map[reflect.Type]int
	}{reflect.ValueOf(v), reflect.ValueOf([]any{v}), reflect.ValueOf(&[]any{v}), reflect.TypeOf(v), map[reflect.Type]int{reflect.TypeOf(v): 1}}
	nothing := reflect.Value{}
	Refresh([]any{&holder, &nothing})
	wantSame(t, "value", fmt.Sprint(holder.alone.Interface()), "L1")
	wantSame(t, "elements", fmt.Sprint(holder.within.Interface(), holder.pointer.Interface()), "[L1] &[L1]")
	wantSame(t, "type", holder.kind, forged.Real())
	wantSame(t, "key", holder.kinds[forged.Real()], 1)
	wantSame(t, "keys", len(holder.kinds), 1)
}

// The number of a method belongs to the type that was asked.
func TestRefreshLeavesReflectedMethodsAsTheyAre(t *testing.T) {
	forged, v := old(t, "numbered")
	v = Current(v)
	use(forged.Real())
	holder := struct{ method reflect.Value }{reflect.ValueOf(v).Method(0)}
	methods := []Method{
		stringMethod(func(v float64) string { return fmt.Sprint("L", v) }),
		onValue("Before", func(*float64) string { return "wrong" }, func(float64) string { return "wrong" }),
	}
	if err := forged.SetMethods(methods); err != nil {
		t.Fatal(err)
	}
	Refresh([]any{&holder})
	wantSame(t, "method", holder.method.Call(nil)[0].String(), "L1")
}

// Types that compiled code remembers by itself stay as they are: it has drawn conclusions.
func TestRefreshLeavesTypesInsideOfCompiledTypesAlone(t *testing.T) {
	openHere(t)
	type cache struct{ known map[reflect.Type]int }
	_, v := old(t, "known")
	c := cache{map[reflect.Type]int{reflect.TypeOf(v): 1}}
	Refresh([]any{&c})
	wantSame(t, "entry", c.known[reflect.TypeOf(v)], 1)
}

type guarded struct {
	mu   sync.Mutex
	more sync.RWMutex
	held any
}

func TestRefreshTellsOfLockedValues(t *testing.T) {
	openHere(t)
	_, v := old(t, "locked")
	for name, lock := range map[string]func(*guarded) func(){
		"mutex":            func(g *guarded) func() { g.mu.Lock(); return g.mu.Unlock },
		"lock for readers": func(g *guarded) func() { g.more.RLock(); return g.more.RUnlock },
	} {
		g := &guarded{held: v}
		unlock := lock(g)
		wantSame(t, name, fmt.Sprint(Refresh([]any{&g})), "[realtype.guarded]")
		wantSame(t, "value", fmt.Sprint(g.held), "1")
		unlock()
		wantSame(t, "missed", len(Refresh([]any{&g})), 0)
		wantSame(t, "value", fmt.Sprint(g.held), "L1")
		if !g.mu.TryLock() || !g.more.TryLock() {
			t.Error("a lock was kept")
		}
	}
}

func TestRefreshEmptiesPools(t *testing.T) {
	_, v := old(t, "pooled")
	pool := &sync.Pool{New: func() any { return "new" }}
	for range 100 { // each processor has some of its own
		pool.Put(v)
	}
	Refresh([]any{&pool})
	wantSame(t, "element", pool.Get(), "new")
}

// Keys that are not equal to themselves cannot be taken out of a map.
func TestRefreshKeepsTheNumberOfEntries(t *testing.T) {
	_, v := old(t, "odd")
	m := map[any]any{v: v, struct{ f, g any }{math.NaN(), v}: v}
	n := map[float64]any{math.NaN(): v, 1: v}
	Refresh([]any{&m, &n})
	wantSame(t, "entries", fmt.Sprint(len(m), len(n)), "2 2")
	wantSame(t, "entry", fmt.Sprint(m[Current(v)], n[1]), "L1 L1")
}

func TestRefreshGoesThroughTemplatesAndTheirData(t *testing.T) {
	_, v := old(t, "shown")
	page := template.Must(template.New("page").Parse("{{.}}"))
	data := struct {
		page *template.Template
		v    any
	}{page, v}
	Refresh([]any{&data})
	var out bytes.Buffer
	if err := data.page.Execute(&out, data.v); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "text", out.String(), "L1")
}

// Somebody may store something in an interface between the look and the exchange.
func TestReplaceLeavesWhatWasStoredMeanwhile(t *testing.T) {
	_, v := old(t, "meanwhile")
	word := func(p any) *unsafe.Pointer { return (*unsafe.Pointer)(reflect.ValueOf(p).UnsafePointer()) }
	place := v
	before := *word(&place)
	place = "other"
	wantSame(t, "exchanged", replace(reflect.ValueOf(&place).Elem(), before, v, Current(v)), false)
	wantSame(t, "value", place, "other")

	_, failure := oldError(t, "failing")
	narrow := failure
	before = *word(&narrow)
	narrow = io.EOF
	wantSame(t, "exchanged", replace(reflect.ValueOf(&narrow).Elem(), before, failure, Current(failure)), false)
	wantSame(t, "exchanged", replace(reflect.ValueOf(&narrow).Elem(), *word(&narrow), failure, Current(failure)), false)
	wantSame(t, "value", narrow, io.EOF)
	narrow = failure
	wantSame(t, "exchanged", replace(reflect.ValueOf(&narrow).Elem(), before, failure, Current(failure)), true)
	wantSame(t, "value", errors.Is(narrow, io.EOF), true)
}
