package packages

import (
	"bytes"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/gcexportdata"
)

// exportData checks one small package and returns its export data.
func exportData(t testing.TB, path, source string, imports types.Importer) []byte {
	t.Helper()
	fset := token.NewFileSet()
	file := parse(t, fset, source)
	config := types.Config{Importer: imports}
	pkg, err := config.Check(path, fset, file, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := gcexportdata.Write(&b, token.NewFileSet(), pkg); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// smallSegment holds two packages, the second of which mentions types of the first.
func smallSegment(t testing.TB) Segment {
	t.Helper()
	shape := exportData(t, "geo/shape", "package shape\ntype Area float64\ntype Shape interface{ Area() Area }\nfunc Unit() Shape { return nil }", nil)
	store, err := Open(encode(t, Segment{Packages: []Package{{Path: "geo/shape", Name: "shape", Types: shape}}}))
	if err != nil {
		t.Fatal(err)
	}
	circle := exportData(t, "geo/circle", "package circle\nimport \"geo/shape\"\ntype Circle struct{ R float64 }\nfunc (Circle) Area() shape.Area { return 0 }", store)
	return Segment{GoVersion: "go1.26.8", Platform: "linux/amd64", Packages: []Package{
		{Path: "geo/shape", Name: "shape", Types: shape, Docs: map[string]string{"": "Package shape.", "Shape.Area": "Area is the area."}},
		{Path: "geo/circle", Name: "circle", Types: circle},
	}}
}

func encode(t testing.TB, s Segment) string {
	t.Helper()
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEncodeDependsOnContentOnly(t *testing.T) {
	segment := smallSegment(t)
	first := encode(t, segment)
	slices.Reverse(segment.Packages)
	if first != encode(t, segment) {
		t.Error("the order of packages shows in the archive")
	}
	if segment.Packages[0].Path != "geo/circle" {
		t.Error("Encode has sorted the caller's packages")
	}
}

func TestEncodeRefusesWhatCannotBeFound(t *testing.T) {
	for _, c := range []struct {
		list []Package
		want string
	}{
		{[]Package{{Path: "a", Name: "a"}, {Path: "b", Name: "b"}, {Path: "a", Name: "a"}}, "a is listed twice"},
		{[]Package{{Path: "a"}}, `package "a" has name ""`},
		{[]Package{{Name: "a"}}, `package "" has name "a"`},
	} {
		_, err := Segment{Packages: c.list}.Encode()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}

func TestLaterSegmentsWin(t *testing.T) {
	base := smallSegment(t)
	other := exportData(t, "geo/shape", "package shape\nconst Windows = true", nil)
	special := Segment{GoVersion: base.GoVersion, Packages: []Package{{Path: "geo/shape", Name: "shape", Types: other}}}
	for _, archives := range [][]string{{encode(t, base) + encode(t, special)}, {encode(t, base), encode(t, special)}} {
		testLaterWins(t, archives)
	}
}

func testLaterWins(t *testing.T, archives []string) {
	t.Helper()
	store, err := Open(archives...)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := store.Import("geo/shape")
	if err != nil {
		t.Fatal(err)
	}
	if pkg.Scope().Lookup("Windows") == nil || pkg.Scope().Lookup("Shape") != nil {
		t.Errorf("shape has %v, want the names of the second segment", pkg.Scope().Names())
	}
	if got := store.Doc("geo/shape", ""); got != "Package shape." {
		t.Errorf("documentation is %q, want that of the first segment, since the second has none", got)
	}
}

func TestSegmentsOfTwoReleasesAreRefused(t *testing.T) {
	base := smallSegment(t)
	newer := base
	newer.GoVersion = "go1.27.0"
	for _, archives := range [][]string{{encode(t, base) + encode(t, newer)}, {encode(t, base), encode(t, newer)}} {
		if _, err := Open(archives...); err == nil || !strings.Contains(err.Error(), "mixes") {
			t.Errorf("error is %v, want one about mixed versions", err)
		}
	}
}

func TestTruncatedArchivesGiveErrors(t *testing.T) {
	whole := encode(t, smallSegment(t))
	for length := range whole {
		if _, err := Open(whole[:length]); err == nil {
			t.Fatalf("Open accepts the first %d of %d bytes", length, len(whole))
		}
	}
}

func TestDamagedArchivesGiveErrors(t *testing.T) {
	whole := encode(t, smallSegment(t))
	for i := range whole {
		damaged := whole[:i] + string([]byte{whole[i] ^ 0x41}) + whole[i+1:]
		store, err := Open(damaged)
		if err != nil {
			continue
		}
		// The damage is in a block. In the documentation it appears as missing text.
		_, shapeErr := store.Import("geo/shape")
		_, circleErr := store.Import("geo/circle")
		if shapeErr == nil && circleErr == nil && store.Doc("geo/shape", "Shape.Area") != "" {
			// DEFLATE ignores a few padding bits in its last byte.
			if rest := smallestDifference(t, whole, damaged); rest {
				t.Errorf("byte %d is damaged and nothing tells", i)
			}
		}
	}
}

// smallestDifference reports whether two archives have different contents.
func smallestDifference(t *testing.T, a, b string) bool {
	t.Helper()
	left, _, err := decodeSegment(a)
	if err != nil {
		t.Fatal(err)
	}
	right, _, err := decodeSegment(b)
	if err != nil {
		return true
	}
	for i := range left.entries {
		for _, parts := range [][2]part{{left.entries[i].types, right.entries[i].types}, {left.entries[i].docs, right.entries[i].docs}} {
			x, errX := parts[0].unpack()
			y, errY := parts[1].unpack()
			if errX != nil || errY != nil || !bytes.Equal(x, y) {
				return true
			}
		}
	}
	return false
}

func TestHugeClaimsAreRefused(t *testing.T) {
	p := part{packed: "\x01\x02\x03", unpacked: maxUnpacked}
	if _, err := p.unpack(); err == nil {
		t.Error("three bytes unpack to 64 MiB")
	}
	const index = "\x00\x00\x01\x01a\x01a\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	r := reader{rest: index[7:]}
	if r.part(&reader{}); !r.failed {
		t.Error("a block of 2⁶³−1 bytes is accepted")
	}
}

func FuzzOpen(f *testing.F) {
	whole := encode(f, smallSegment(f))
	f.Add(whole)
	f.Add(whole + whole)
	f.Add(whole[:len(whole)/2])
	f.Add(magic)
	f.Fuzz(func(t *testing.T, archive string) {
		store, err := Open(archive)
		if err != nil {
			return
		}
		for _, path := range store.Paths() {
			if pkg, err := store.Import(path); err == nil && pkg.Path() != path {
				t.Errorf("importing %q gave %q", path, pkg.Path())
			}
			store.Doc(path, "")
		}
	})
}
