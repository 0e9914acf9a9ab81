package tracking

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

var points = []Point{
	{0, 0, []Value{{"t2i_recall_1", 0.5}, {"t2i_s", math.NaN()}}},
	{1, 16, []Value{{"loss", 1.25}, {`a "name"`, math.Inf(1)}}},
}

// write writes all points.
func write(t *testing.T, w Writer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		if err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestLinesAreJSONObjectsInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "a.jsonl")
	for range 2 { // an existing file is replaced
		w, err := Lines(path)
		write(t, w, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"epoch":0,"step":0,"t2i_recall_1":0.5,"t2i_s":null}` + "\n" + `{"epoch":1,"step":16,"loss":1.25,"a \"name\"":null}` + "\n"
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	for line := range strings.Lines(string(text)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
}

// The checksum of 32 zero bytes is in RFC 3720, B.4: 0x8a9136aa.
func TestChecksumsOfRecordsAreMaskedCastagnoli(t *testing.T) {
	sum := uint32(0x8a9136aa)
	if got, want := masked(make([]byte, 32)), bits.RotateLeft32(sum, -15)+0xa282ead8; got != want {
		t.Errorf("%x, want %x", got, want)
	}
}

// readEvents decodes records as TensorBoard does and returns the versions, the steps, and the
// scalars by their tags.
func readEvents(t *testing.T, data []byte) (versions []string, steps []uint64, scalars []map[string]float32) {
	t.Helper()
	for len(data) > 0 {
		n := binary.LittleEndian.Uint64(data)
		if binary.LittleEndian.Uint32(data[8:]) != masked(data[:8]) || binary.LittleEndian.Uint32(data[12+n:]) != masked(data[12:12+n]) {
			t.Fatal("a checksum is wrong")
		}
		message := data[12 : 12+n]
		data = data[16+n:]
		all := map[string]float32{}
		each(t, message, func(field protowire.Number, bytes []byte, number uint64) {
			switch field {
			case 2:
				steps = append(steps, number)
			case 3:
				versions = append(versions, string(bytes))
			case 5:
				each(t, bytes, func(_ protowire.Number, value []byte, _ uint64) {
					tag := ""
					each(t, value, func(field protowire.Number, bytes []byte, number uint64) {
						if field == 1 {
							tag = string(bytes)
						} else {
							all[tag] = math.Float32frombits(uint32(number))
						}
					})
				})
			}
		})
		scalars = append(scalars, all)
	}
	return versions, steps, scalars
}

// each visits the fields of a message.
func each(t *testing.T, message []byte, visit func(field protowire.Number, bytes []byte, number uint64)) {
	t.Helper()
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			t.Fatal("no tag")
		}
		message = message[n:]
		var bytes []byte
		var number uint64
		switch kind {
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(message)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(message)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(message)
			number = uint64(short)
		}
		if n < 0 {
			t.Fatal("no value")
		}
		visit(field, bytes, number)
		message = message[n:]
	}
}

func TestEventsHoldEveryScalarAtItsStep(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	w, err := Events(folder)
	write(t, w, err)
	data, err := os.ReadFile(filepath.Join(folder, EventsName))
	if err != nil {
		t.Fatal(err)
	}
	versions, steps, scalars := readEvents(t, data)
	if len(versions) != 1 || versions[0] != "brain.Event:2" || len(steps) != 3 || steps[2] != 16 || scalars[1]["t2i_recall_1"] != 0.5 ||
		scalars[2]["loss"] != 1.25 || !math.IsInf(float64(scalars[2][`a "name"`]), 1) || !math.IsNaN(float64(scalars[1]["t2i_s"])) {
		t.Errorf("versions %q, steps %d, scalars %v", versions, steps, scalars)
	}
}

func TestPlacesThatCannotBeWrittenAreErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Lines(filepath.Join(file, "a.jsonl")); err == nil {
		t.Error("no error for lines below a file")
	}
	if _, err := Events(file); err == nil {
		t.Error("no error for events in a file")
	}
}
