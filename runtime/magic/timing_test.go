package magic

import (
	"math"
	"testing"
)

func TestSizesAreWrittenWithoutExponents(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 bytes", 7: "7 bytes", 100: "100 bytes", 999: "999 bytes", 1020: "1020 bytes", 1023: "1023 bytes",
		1024: "1 KB", 1045: "1.02 KB", 10250: "10 KB", 102 << 10: "102 KB", 1<<20 - 1: "1024 KB", 1 << 20: "1 MB",
		3 << 29: "1.5 GB", 1 << 40: "1 TB", math.MaxUint64: "16777216 TB",
	} {
		if got := sizeText(n); got != want {
			t.Errorf("%d bytes are written %s, want %s", n, got, want)
		}
	}
}

func TestDurationsAreWrittenWithoutExponents(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0 ns", 1e-15: "0 ns", 2.5e-10: "0.25 ns", 1.234e-9: "1.23 ns", 12.34e-9: "12.3 ns", 999.9e-9: "1000 ns",
		1e-6: "1 µs", 1.5e-3: "1.5 ms", 0.9996: "1000 ms", 1: "1 s", 59.96: "60 s", 1234.5: "1234 s", 1e6: "1000000 s",
	} {
		if got := duration(seconds); got != want {
			t.Errorf("%g seconds are written %s, want %s", seconds, got, want)
		}
	}
}
