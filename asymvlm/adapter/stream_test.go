package adapter

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gosphere/asymvlm/embedding"
)

// sparseTexts returns a matrix memory-mapped from a sparse .npy file, and a function that writes
// the first number of a row.
func sparseTexts(t *testing.T, rows, columns int) (m embedding.Matrix, number func(row int, value float32)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "texts.npy")
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns)
	const start = 128
	data := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil, start-10)...)
	data = fmt.Appendf(data, "%-*s\n", start-11, header)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	if _, err := file.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := file.Truncate(start + 4*int64(rows)*int64(columns)); err != nil {
		t.Fatal(err)
	}
	number = func(row int, value float32) {
		word := binary.LittleEndian.AppendUint32(nil, math.Float32bits(value))
		if _, err := file.WriteAt(word, start+4*int64(row)*int64(columns)); err != nil {
			t.Fatal(err)
		}
	}
	array, err := embedding.ReadNPY(path)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = array.Matrix(); err != nil {
		t.Fatal(err)
	}
	return m, number
}

// Gathering pairs from a file, batch by batch, uses memory only for the order and two batches; the
// rows of a batch are read when it is assembled. The file holds a million pairs in 0.5 GB, and with
// GOSPHERE_STREAM=1 ten million in 5 GB.
func TestMillionsOfPairsAreGatheredFromAFile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	if runtime.GOOS == "windows" {
		t.Skip("files are not mapped here")
	}
	const columns, batch = 128, 512
	pairs := 1_000_000
	if os.Getenv("GOSPHERE_STREAM") != "" {
		pairs *= 10
	}
	texts, number := sparseTexts(t, pairs, columns)
	images := embedding.NewMatrix(4, columns)
	set := &embedding.Set{Images: images, Texts: texts, CaptionImages: make([]int, pairs)}
	for i := range set.CaptionImages {
		set.CaptionImages[i] = i % images.Rows
	}
	g := newGatherer(set, smallOptions(AsymVLMVonMisesFisher), batch)
	g.shuffle(0)
	for _, pair := range g.order[:3*batch] {
		number(pair, float32(pair))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	next, stop := g.start(0)
	for step := range 3 {
		b := next()
		for row, pair := range g.order[step*batch : (step+1)*batch] {
			if got := b.texts.At(row, 0); got != float32(pair) || b.texts.At(row, 1) != 0 || b.pairImages[row] != pair%images.Rows {
				t.Fatalf("step %d: row %d is %g of image %d, want pair %d", step, row, got, b.pairImages[row], pair)
			}
		}
	}
	stop()
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("%d bytes were allocated to gather three batches", taken)
	}
}
