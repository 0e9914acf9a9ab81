//go:build unix

package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/protocol"
	"gosphere/runtime/session"
)

// asked are the requests of the benchmark: very long member lists, short ones, names, and
// inspections at the end.
var asked = []struct{ name, code string }{
	{"syscall", "import \"syscall\"\nsyscall."}, {"math", "math."}, {"http", "import \"net/http\"\nhttp."}, {"ast", "import \"go/ast\"\nast."},
	{"tensor", "import \"gorgonia.org/tensor\"\nvar d *tensor.Dense\nd."}, {"member", "fmt.Pri"}, {"name", "tot"}, {"names", "s"}, {"inspect", "strings.Builder?"},
}

// beside are the cells that run meanwhile and do not end on their own.
var beside = []struct{ name, code string }{
	{"idle", ""},
	{"loop", "fmt.Println(\"began\")\nfor {\n}"},
	{"products", "fmt.Println(\"began\")\na := mat.NewDense(400, 400, nil)\nfor {\n\ta.Mul(a, a)\n}"},
	{"goroutines", "fmt.Println(\"began\")\nfor range 2 {\n\tgo func() { for {} }()\n}\nselect {}"},
}

// BenchmarkHelp measures completion and inspection, from the request to the reply as JSON, in a
// session that is idle or has a cell that loops, multiplies matrices on all cores, or runs
// goroutines that loop.
//
//	go test ./bench -run none -bench Help -benchtime 300x
func BenchmarkHelp(b *testing.B) {
	for _, other := range beside {
		s := sessiontest.New(b)
		if _, err := sessiontest.Printed(s, "import (\"fmt\"; \"math\"; \"strings\"; \"gonum.org/v1/gonum/mat\")\ntotal := math.Pi\n_, _ = strings.ToUpper, mat.Sum"); err != nil {
			b.Fatal(err)
		}
		stop := begin(s, other.code)
		for _, ask := range asked {
			b.Run(other.name+"/"+ask.name, func(b *testing.B) {
				var times []time.Duration
				help(b, s, ask.code) // loads the documentation
				for b.Loop() {
					start := time.Now()
					help(b, s, ask.code)
					times = append(times, time.Since(start))
				}
				slices.Sort(times)
				b.ReportMetric(times[len(times)/2].Seconds()*1e3, "ms-p50")
				b.ReportMetric(times[len(times)*99/100].Seconds()*1e3, "ms-p99")
			})
		}
		stop()
		s.Close()
	}
}

// help sends a request at the end of the code, and encodes the reply as JSON.
func help(b *testing.B, s *session.Session, code string) {
	name, inspect := strings.CutSuffix(code, "?")
	var reply any
	if inspect {
		reply = s.Inspect(protocol.InspectRequest{Code: name, CursorPos: len(name)})
	} else {
		reply = s.Complete(protocol.CompleteRequest{Code: name, CursorPos: len(name)})
	}
	if text, err := json.Marshal(reply); err != nil || len(text) < 100 {
		b.Fatalf("%s is answered by %s, %v", code, text, err)
	}
}

// begin runs a cell until stop is called, and returns once the cell has printed that it is running.
// An empty cell is not run.
func begin(s *session.Session, code string) (stop func()) {
	if code == "" {
		return func() {}
	}
	began, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s.Execute(context.Background(), protocol.ExecuteRequest{Code: code}, func(content protocol.Content) {
			if _, ok := content.(protocol.Stream); ok {
				close(began)
			}
		})
	}()
	<-began
	return func() {
		s.Interrupt()
		<-ended
	}
}

func TestHelpIsAskedBesideWhatRuns(t *testing.T) {
	s := sessiontest.New(t)
	if _, err := sessiontest.Printed(s, "import (\"fmt\"; \"gonum.org/v1/gonum/mat\")\nvar _ = mat.Sum"); err != nil {
		t.Fatal(err)
	}
	for _, other := range beside {
		stop := begin(s, other.code)
		reply := s.Complete(protocol.CompleteRequest{Code: "fmt.Printl", CursorPos: 10})
		if !slices.Contains(reply.Matches, "Println") {
			t.Errorf("%s: %q", other.name, reply.Matches)
		}
		stop()
	}
}
