package main

import (
	"strings"
	"testing"
)

func TestTimesAreSortedAndFailuresNamed(t *testing.T) {
	s, err := read(strings.NewReader(`{"Action":"run","Package":"gosphere/a","Test":"TestOne"}
{"Action":"pass","Package":"gosphere/a","Test":"TestOne/part","Elapsed":0.1}
{"Action":"pass","Package":"gosphere/a","Test":"TestOne","Elapsed":0.25}
{"Action":"fail","Package":"gosphere/a","Test":"TestTwo","Elapsed":3}
{"Action":"fail","Package":"gosphere/a","Elapsed":3.5}
{"Action":"pass","Package":"gosphere/b","Elapsed":4}
`))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := s.write(&out); err != nil {
		t.Fatal(err)
	}
	want := "7.5 s  2 packages\n4.0 s  b\n3.5 s  a\n\n3.2 s  2 tests\n3.0 s  a TestTwo\n0.2 s  a TestOne\n\nfailed  a TestTwo\nfailed  a\n"
	var got strings.Builder
	for line := range strings.Lines(out.String()) {
		got.WriteString(strings.TrimLeft(line, " "))
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestLinesOfOtherProgramsAreNamed(t *testing.T) {
	if _, err := read(strings.NewReader("ok gosphere/a 1s\n")); err == nil || !strings.Contains(err.Error(), "ok gosphere/a 1s") {
		t.Errorf("error %v", err)
	}
}
