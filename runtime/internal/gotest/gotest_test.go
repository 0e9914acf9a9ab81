package gotest

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"gosphere/runtime/internal/gotest/suite"
)

func TestFlagsMayStandAmongPackages(t *testing.T) {
	o, packages, err := parse([]string{"./a", "-run", "X|Y", "./b", "-v", "-count=2"})
	if err != nil || !reflect.DeepEqual(packages, []string{"./a", "./b"}) || !reflect.DeepEqual(o, Options{"run": "X|Y", "v": "true", "count": "2"}) {
		t.Error(o, packages, err)
	}
	for _, wrong := range []string{"-fuzz=X", "-count=x", "-h"} {
		if _, _, err := parse([]string{wrong}); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

func TestSeedsAreReadAsTheGoCommandWritesThem(t *testing.T) {
	text := "go test fuzz v1\nint(-3)\nstring(\"a\\x00\")\n[]byte(\"b\")\nbool(true)\nfloat64(0.5)\nmath.Float64frombits(0x7ff0000000000000)\nbyte('x')\nrune('é')\nuint64(18446744073709551615)\n"
	got, err := seed(text)
	want := []any{-3, "a\x00", []byte("b"), true, 0.5, math.Inf(1), byte('x'), 'é', uint64(math.MaxUint64)}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%#v, %v\nwant %#v", got, err, want)
	}
	for _, wrong := range []string{"", "go test fuzz v2\n", "go test fuzz v1\nint(1", "go test fuzz v1\nos.Exit(1)", "go test fuzz v1\nint(\"a\")", "go test fuzz v1\nint8(300)", "go test fuzz v1\nany(3)"} {
		if _, err := seed(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func FuzzSeeds(f *testing.F) {
	f.Add("int(1)")
	f.Add("[]byte(\"\\xff\")")
	f.Fuzz(func(t *testing.T, line string) {
		if values, err := seed("go test fuzz v1\n" + line); err == nil && len(values) == 0 && strings.TrimSpace(line) != "" {
			t.Errorf("%q has no value", line)
		}
	})
}

func TestARunGivesTheProcessItsStateBack(t *testing.T) {
	var text strings.Builder
	s := &tests{Suite: &suite.Suite{Path: "p", Dir: t.TempDir(), Code: "compiled", Describe: func(any) string { return "panic: described\n" }, Within: func(f func()) { f() }},
		tests: []testing.InternalTest{
			{Name: "TestGood", F: func(t *testing.T) {}}, {Name: "TestPanics", F: func(*testing.T) { panic(1) }},
			{Name: "TestSkips", F: func(t *testing.T) { t.SkipNow() }}, {Name: "TestExits", F: func(*testing.T) { exit(4) }},
		},
		examples: []testing.InternalExample{{Name: "ExampleBad", F: func() { panic(2) }, Output: "x"}},
	}
	for range 2 {
		text.Reset()
		summary, err := s.run(Options{"v": "true"}, nil, func(line string) { text.WriteString(line) })
		if err != nil || summary.Tests != 4 || summary.Skipped != 1 || !reflect.DeepEqual(summary.Failed, []string{"TestPanics", "TestExits", "ExampleBad"}) {
			t.Errorf("%+v, %v\n%s", summary, err, text.String())
		}
	}
	if !strings.Contains(text.String(), "    panic: described\n") || strings.Contains(text.String(), "FAIL\n") {
		t.Error(text.String())
	}
	stop := make(chan struct{})
	begun, end := make(chan bool), make(chan bool)
	s.tests = []testing.InternalTest{{Name: "TestSlow", F: func(*testing.T) { close(begun); <-end }}}
	go func() { <-begun; close(stop) }()
	if _, err := s.run(nil, stop, func(string) {}); err != suite.ErrStopped {
		t.Error(err)
	}
	if _, err := s.run(nil, nil, func(string) {}); err != ErrBusy {
		t.Error(err)
	}
	close(end)
	busy.Lock() // Wait until the abandoned run has restored the flags of this process.
	defer busy.Unlock()
}
