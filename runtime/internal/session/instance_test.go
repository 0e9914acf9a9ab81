package session

import (
	"context"
	"strings"
	"sync"
	"testing"

	"gosphere/kernel/protocol"
	"gosphere/runtime/symbols"
)

// printed runs cells and returns what they print, or their failures.
func printed(s *Session, cells ...string) string {
	var mu sync.Mutex
	var b strings.Builder
	for _, code := range cells {
		s.Execute(context.Background(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
			mu.Lock()
			defer mu.Unlock()
			switch c := content.(type) {
			case protocol.Stream:
				b.WriteString(c.Text)
			case protocol.Error:
				b.WriteString(c.Ename + ": " + c.Evalue)
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	return b.String()
}

const instanceCell = `
import ("fmt"; "slices"; "math")
fs := []float64{3, math.NaN(), 1, 2}
slices.Sort(fs)
bs := []byte("hello")
slices.Reverse(bs)
rs := []rune("κβα")
slices.Sort(rs)
at, found := slices.BinarySearch([]string{"a", "c"}, "b")
sort := slices.Sort[[]int]
xs := slices.Insert([]int{5, 4}, 1, 9, 8)
sort(xs)
fmt.Println(fs, string(bs), string(rs), at, found, xs, slices.Concat(xs, []int{1}, nil), slices.Contains(xs, 9), slices.Index(xs, 8))
type Celsius float64
cs := []Celsius{2, 1}
slices.Sort(cs)
type List []int
l := List{2, 1}
slices.Sort(l)
fmt.Printf("%v %T %v %T %v", cs, cs, l, slices.Clone(l), slices.Max(fs[1:]))
`

const instanceOutput = "[NaN 1 2 3] olleh αβκ 1 false [4 5 8 9] [4 5 8 9 1] true 2\n[1 2] []main.Celsius [1 2] main.List 3"

func TestCompiledInstancesMeanTheSame(t *testing.T) {
	s := newTestSession(t)
	if got := printed(s, instanceCell); got != instanceOutput {
		t.Errorf("got  %q\nwant %q", got, instanceOutput)
	}
	store, err := loadPackages()
	if err != nil {
		t.Fatal(err)
	}
	without, err := New(Options{Symbol: symbols.Find, Packages: store, Generic: genericSource})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	if got := printed(without, instanceCell); got != instanceOutput {
		t.Errorf("without compiled instances: got  %q\nwant %q", got, instanceOutput)
	}
}

func TestCompiledInstancesPanicAsGoDoes(t *testing.T) {
	s := newTestSession(t)
	got := printed(s, "import \"slices\"", "slices.Insert([]int{1}, 3, 2)")
	if want := "runtime error: slice bounds out of range [3:1]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := printed(s, "slices.Min([]int{})"); got != "panic: slices.Min: empty list" {
		t.Errorf("got %q", got)
	}
}
