package embedding

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// rawNPZ returns an archive of one compressed entry that declares the given size.
func rawNPZ(t testing.TB, content []byte, says uint64) []byte {
	t.Helper()
	var packed, buffer bytes.Buffer
	deflate, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := deflate.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := deflate.Close(); err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(&buffer)
	w, err := archive.CreateRaw(&zip.FileHeader{Name: "a.npy", Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(content),
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: says})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(packed.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

// entries returns an archive whose entries declare the given sizes.
func entries(sizes ...uint64) *zip.Reader {
	archive := &zip.Reader{}
	for i, size := range sizes {
		archive.File = append(archive.File, &zip.File{FileHeader: zip.FileHeader{Name: string(rune('a'+i)) + ".npy", UncompressedSize64: size}})
	}
	return archive
}

func TestArchivesThatExpandTooFarAreRefused(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		sizes  []uint64
		size   int64
		refuse string // the entry that exceeds the limit, or ""
	}{
		{[]uint64{gib}, 1000, ""},
		{[]uint64{gib + 1}, 1000, "a.npy"},
		{[]uint64{gib / 2, gib / 2, 0}, 1000, ""},
		{[]uint64{gib / 2, gib / 2, 1}, 1000, "c.npy"},
		{[]uint64{1 << 63, 1 << 63}, 1000, "a.npy"}, // the sum is 0 in 64 bits
		{[]uint64{1, 1<<64 - 1}, 1000, "b.npy"},
		{[]uint64{100 * gib}, gib, ""},
		{[]uint64{100*gib + 1}, gib, "a.npy"},
	} {
		err := checkExpansion(entries(c.sizes...), c.size)
		if c.refuse == "" {
			if err != nil {
				t.Errorf("%d bytes in an archive of %d: error %v", c.sizes, c.size, err)
			}
			continue
		}
		wantError(t, err, `"`+c.refuse+`"`, "numpy.savez")
	}
}

func TestArchiveThatSaysItIsHugeNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bomb.npz")
	if err := os.WriteFile(path, rawNPZ(t, make([]byte, 1000), 1<<40), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := ReadNPZ(path)
	wantError(t, err, "bomb.npz", `with "a.npy" of 1099511627776 bytes`, "more than 1073741824 bytes")
}

// TestEntriesAreNotReadBeyondWhatTheySay checks that reading four megabytes that are declared as a
// thousand bytes costs no more than reading a thousand bytes.
func TestEntriesAreNotReadBeyondWhatTheySay(t *testing.T) {
	data := rawNPZ(t, make([]byte, 4<<20), 1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := decodeNPZ(data)
	runtime.ReadMemStats(&after)
	wantError(t, err, `array "a"`, "not a valid zip file")
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}

func TestEntriesThatAreShorterThanTheySayAreRefused(t *testing.T) {
	one := npyBytes("<f4", "False", "(1,)", make([]byte, 4))
	_, err := decodeNPZ(rawNPZ(t, one, uint64(len(one))+1))
	wantError(t, err, `array "a"`)
	if arrays, err := decodeNPZ(rawNPZ(t, one, uint64(len(one)))); err != nil || arrays["a"].Len() != 1 {
		t.Errorf("arrays %v (error %v)", arrays, err)
	}
}

// TestCompressedZerosAreRead checks that highly compressible content is accepted if it is small.
func TestCompressedZerosAreRead(t *testing.T) {
	zeros := npyBytes("<f4", "False", "(1000, 512)", make([]byte, 4*1000*512))
	data := npzBytes(t, zip.Deflate, "text.npy", zeros)
	if 100*len(data) > len(zeros) {
		t.Fatalf("%d bytes became %d", len(zeros), len(data))
	}
	arrays, err := decodeNPZ(data)
	if err != nil || arrays["text"].Len() != 1000*512 {
		t.Errorf("arrays %v (error %v)", arrays, err)
	}
}

func TestFoldersAndMissingFilesAreNoArchives(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "none.npz")} {
		if _, err := ReadNPZ(path); err == nil || !strings.HasPrefix(err.Error(), "embedding: ") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}
