package embedding

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

// sparseNPY writes a sparse .npy file of float32 rows. The filled rows hold their row number; the
// others are holes.
func sparseNPY(t *testing.T, rows, columns int, filled []int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.npy")
	if err := WriteNPY(path, Float32Array(make([]float32, columns), 1, columns)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start := int64(len(data) - 4*columns)
	header := []byte("{'descr': '<f4', 'fortran_order': False, 'shape': (" + strconv.Itoa(rows) + ", " + strconv.Itoa(columns) + "), }")
	for len(header) < int(start)-11 {
		header = append(header, ' ')
	}
	copy(data[10:], append(header, '\n'))
	if err := os.WriteFile(path, data[:start], 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(start + 4*int64(rows)*int64(columns)); err != nil {
		t.Fatal(err)
	}
	for _, row := range filled {
		number := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(row)))
		if _, err := file.WriteAt(number, start+4*int64(row)*int64(columns)); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestTenMillionRowsAreReadWithoutTakingTheirMemory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are not mapped here")
	}
	const rows, columns = 10_000_000, 128 // 5 GB of address space, a few pages on disk
	source := rand.New(rand.NewPCG(1, 2))
	filled := make([]int, 500)
	for i := range filled {
		filled[i] = source.IntN(rows)
	}
	path := sparseNPY(t, rows, columns, filled)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	array, err := ReadNPY(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := array.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	if m.Rows != rows || m.Columns != columns {
		t.Fatalf("%d×%d", m.Rows, m.Columns)
	}
	chosen := m.SelectRows(filled)
	for i, row := range filled {
		if got := chosen.At(i, 0); got != float32(row) || chosen.At(i, 1) != 0 {
			t.Fatalf("row %d begins with %g", row, got)
		}
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("%d bytes were allocated to read 500 rows", taken)
	}
}

func TestMappedRowsMayBeChangedAndTheFileStays(t *testing.T) {
	const rows, columns = 100_000, 64
	path := sparseNPY(t, rows, columns, []int{7})
	for range 2 {
		array, err := ReadNPY(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := array.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		if got := m.At(7, 0); got != 7 {
			t.Fatalf("row 7 begins with %g", got)
		}
		m.Set(7, 0, -1)
	}
}
