package session

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/runtime/internal/testdata/cases"
)

// replacesStream matches cases that replace a stream of the process, which all sessions share.
var replacesStream = regexp.MustCompile(`os\.Std(out|err) = `)

// TestCases plays every case of runtime/internal/testdata in a separate session. Package cases
// describes the format. CASES_ONLY=TEXT selects the cases whose names contain TEXT.
func TestCases(t *testing.T) {
	var process sync.RWMutex // guards the streams
	files, err := filepath.Glob("../testdata/*.cells")
	if err != nil || len(files) == 0 {
		t.Fatalf("no script tests: %v", err)
	}
	only := os.Getenv("CASES_ONLY")
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	for _, file := range files {
		list, err := cases.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		room := strings.TrimSuffix(filepath.Base(file), ".cells")
		for _, c := range list {
			if !strings.Contains(room+"/"+c.Name, only) {
				continue
			}
			t.Run(room+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				slots <- true
				defer func() { <-slots }()
				if replacesStream.MatchString(strings.Join(c.Cells, "\n")) {
					process.Lock()
					defer process.Unlock()
				} else {
					process.RLock()
					defer process.RUnlock()
				}
				difference := playCase(t, c)
				switch {
				case c.Known != "" && difference == "":
					t.Errorf("passes; it was known as: %s", c.Known)
				case c.Known != "":
					t.Skip("known: " + c.Known)
				case difference != "":
					t.Error(difference)
				}
			})
		}
	}
}

// playCase plays a case and returns the difference from the expected result, or "".
func playCase(t *testing.T, c *cases.Case) string { return playCaseIn(newTestSession(t), c) }

// playCaseIn plays a case in a session, which it closes.
func playCaseIn(s *Session, c *cases.Case) string {
	defer s.Close()
	if !c.ByHand() && c.Output == "" && c.Panic == "" {
		return "nothing is expected: run go run ./runtime/internal/testdata/generate"
	}
	var all strings.Builder
	for i, code := range c.Cells {
		end, output, ok := playCell(s, i+1, code)
		if !ok {
			return fmt.Sprintf("cell %d hangs", i+1)
		}
		all.WriteString(output)
		if c.ByHand() {
			if difference := judgeByHand(code, end, output); difference != "" {
				return fmt.Sprintf("cell %d: %s", i+1, difference)
			}
			continue
		}
		if f := end.failure; f != nil {
			if c.Panic == "" || i < len(c.Cells)-1 {
				return fmt.Sprintf("cell %d: %s\n%s\nafter output:\n%s", i+1, f, strings.Join(f.traceback, "\n"), all.String())
			}
			if text := f.traceback[0]; text != "panic: "+c.Panic {
				return fmt.Sprintf("%s\nwant panic: %s", text, c.Panic)
			}
		} else if c.Panic != "" && i == len(c.Cells)-1 {
			return fmt.Sprintf("no panic, want %q", c.Panic)
		}
	}
	if got := strings.TrimRight(all.String(), " \n"); !c.ByHand() && got != c.Output {
		return fmt.Sprintf("got:\n%s\nwant:\n%s", got, c.Output)
	}
	return ""
}

// playCell runs one cell. ok is false if the cell does not end.
func playCell(s *Session, number int, code string) (end ending, output string, ok bool) {
	return playFile(s, number, protocol.ExecuteRequest{Code: code, Silent: true})
}

// playFile is playCell for the code and the file of a request.
func playFile(s *Session, number int, request protocol.ExecuteRequest) (end ending, output string, ok bool) {
	var mu sync.Mutex
	var text strings.Builder
	finished := make(chan ending, 1)
	go func() {
		finished <- s.playRequest(number, request, func(content protocol.Content) {
			mu.Lock()
			defer mu.Unlock()
			if stream, ok := content.(protocol.Stream); ok && stream.Name == "stdout" {
				text.WriteString(stream.Text)
			}
		})
	}()
	select {
	case end = <-finished:
		mu.Lock()
		defer mu.Unlock()
		return end, text.String(), true
	case <-time.After(waitingTime):
		s.Interrupt()
		return ending{}, "", false
	}
}

var expectation = regexp.MustCompile(`(?m)// (want|error|trace): ?(.*)$`)

// judgeByHand compares the output of a cell with the expectations written in it.
func judgeByHand(code string, end ending, output string) string {
	var want []string
	wantError, wantTrace := "", ""
	for _, m := range expectation.FindAllStringSubmatch(code, -1) {
		switch m[1] {
		case "error":
			wantError = m[2]
		case "trace":
			wantTrace = m[2]
		default:
			want = append(want, m[2])
		}
	}
	switch f := end.failure; {
	case f != nil && wantError == "":
		return f.String() + "\n" + strings.Join(f.traceback, "\n")
	case f == nil && wantError != "":
		return fmt.Sprintf("no error, want %q; output %q", wantError, output)
	case f != nil:
		if ok, err := regexp.MatchString(wantError, f.String()); err != nil || !ok {
			return fmt.Sprintf("error %q, want %q (%v)", f, wantError, err)
		}
		trace := strings.Join(f.traceback, "\n")
		if ok, err := regexp.MatchString(wantTrace, trace); err != nil || !ok {
			return fmt.Sprintf("traceback %q, want %q (%v)", trace, wantTrace, err)
		}
	}
	if end.shown != nil {
		output += fmt.Sprint(end.shown.data["text/plain"])
	}
	if got := strings.TrimRight(output, " \n"); got != strings.Join(want, "\n") {
		return fmt.Sprintf("got:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	return ""
}
