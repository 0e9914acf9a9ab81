package streams

import "testing"

func TestOutputOfDescriptorsGoesToTheLatestCellThatRuns(t *testing.T) {
	var p Process
	a, b := p.NewStreams(nil, nil), p.NewStreams(nil, nil)
	for _, step := range []struct {
		do   func()
		want *Streams
	}{
		{func() { p.Begin(a) }, a}, {func() { p.Begin(b) }, b}, {func() { p.End(b) }, a}, {func() { p.End(a) }, a},
	} {
		if step.do(); p.Latest() != step.want {
			t.Error("the wrong cell gets what is written")
		}
	}
}
