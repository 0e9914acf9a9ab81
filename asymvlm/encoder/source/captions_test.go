package source

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// listing returns the name and captions of each item of a source, or its error.
func listing(s *Source) string {
	var lines []string
	for item, err := range s.Items() {
		if err != nil {
			lines = append(lines, item.Name+" ! "+err.Error())
			continue
		}
		lines = append(lines, item.Name+"="+strings.Join(item.Captions, "|"))
	}
	return strings.Join(lines, "; ")
}

func TestCaptionsAloneAreReadInTheirLayouts(t *testing.T) {
	chains := "id,captions,image_url\n0,\"bird => blue bird => blue bird, sitting => A blue bird sits.\",http://x/val2014/COCO_1.jpg\n" +
		"1,cat => a cat => a black cat => A black cat.,http://x/val2014/COCO_2.jpg\n2,animal => bird => b => c,http://x/val2014/COCO_1.jpg\n"
	for _, c := range []struct{ kind, file, text, want string }{
		{"captions", "a.txt", "a dog\n\n a cat \n", "a.txt:1=a dog; a.txt:2=a cat"},
		{"captions", "a.csv", "id,Caption\n1,\"a dog, asleep\"\n2\n3,a cat\n4,\n", "a.csv:1=a dog, asleep; a.csv:2 ! 1 columns, want more than 1; a.csv:3=a cat; a.csv:4 ! no caption"},
		{"captions", "a.tsv", "filepath\ttitle\nx.jpg\t\"Quote\" me\ny.jpg\t\"a \"\"b\"\"\"\n", `a.tsv:1="Quote" me; a.tsv:2=a "b"`},
		{"captions", "a.csv", "id,words\n1,a\n", `a.csv:1 ! no column of captions among ["id" "words"]: want one of caption, captions, text, title, sentence in the first line`},
		{"captions", "a.csv", "caption\n\"broken \" quote\nnext\n", "a.csv:1 ! parse error on line 2, column 9: extraneous or missing \" in quoted-field; a.csv:2=next"},
		{"cc", "Train.tsv", "a very typical station\thttp://x/1.jpg\nno address\nb\tc\n", `http://x/1.jpg=a very typical station; Train.tsv:2 ! "no address", want a caption, a tab and an address; Train.tsv:3 ! "b\tc", want a caption, a tab and an address`},
		{"cc", "cc12m.tsv", "https://x/2.jpg\tan antique <PERSON>\n", "https://x/2.jpg=an antique <PERSON>"},
		{"hierarcaps", "hierarcaps_test.csv", chains, "COCO_1.jpg=bird|blue bird|blue bird, sitting|A blue bird sits.|animal|bird|b|c; COCO_2.jpg=cat|a cat|a black cat|A black cat."},
	} {
		s, err := Open(c.kind, filepath.Join(write(t, map[string]string{c.file: c.text}), c.file), "")
		if err != nil {
			t.Errorf("%s %s: %v", c.kind, c.file, err)
			continue
		}
		if got := listing(s); got != c.want || !s.TextOnly {
			t.Errorf("%s %s: got %s, want %s", c.kind, c.file, got, c.want)
		}
		for item := range s.Items() {
			if _, err := item.Read(); err == nil {
				t.Errorf("%s: there is no picture", item.Name)
			}
		}
	}
	s, err := Open("hierarcaps", write(t, map[string]string{"hierarcaps_test.csv": chains, "test_imgs/COCO_1.jpg": "A", "test_imgs/COCO_2.jpg": "B"}), "")
	if err != nil || s.TextOnly || s.Count != 2 || !strings.HasPrefix(described(t, s), "COCO_1.jpg=A bird|") {
		t.Errorf("with pictures: %+v, %v", s, err)
	}
}

func TestParquetIsReadWithAndWithoutPictures(t *testing.T) {
	type picture struct {
		Bytes []byte `parquet:"bytes"`
		Path  string `parquet:"path"`
	}
	type both struct {
		Image   picture  `parquet:"image"`
		Caption []string `parquet:"caption,list"`
	}
	type alone struct {
		URL  string `parquet:"url"`
		Text string `parquet:"text"`
	}
	dir := t.TempDir()
	for number, rows := range [][]both{{{picture{[]byte("A"), "a.jpg"}, []string{"one", "two"}}}, {{picture{nil, ""}, []string{"three"}}, {picture{[]byte("C"), ""}, nil}, {picture{[]byte("D"), ""}, []string{"four"}}}} {
		if err := parquet.WriteFile(filepath.Join(dir, fmt.Sprintf("test-%d.parquet", number)), rows); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open("parquet", filepath.Join(dir, "test-*.parquet"), "")
	if err != nil || s.TextOnly || s.Count != 4 {
		t.Fatalf("%+v, %v", s, err)
	}
	if got, want := described(t, s), "test-0.parquet:0=A one|two; test-1.parquet:0 ! no picture; test-1.parquet:1 ! no caption; test-1.parquet:2=D four"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	captions := filepath.Join(dir, "captions.parquet")
	if err := parquet.WriteFile(captions, []alone{{"u", "one"}, {"v", ""}}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"parquet", "captions"} {
		s, err := Open(kind, captions, "")
		if err != nil || !s.TextOnly {
			t.Fatalf("%+v, %v", s, err)
		}
		if got, want := listing(s), "captions.parquet:0=one; captions.parquet:1 ! no caption"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestTablesThatHoldNoCaptionsAreRefused(t *testing.T) {
	type address struct {
		URL  string `parquet:"url"`
		Size int64  `parquet:"size"`
	}
	dir := write(t, map[string]string{"damaged.parquet": "PAR1"})
	damaged, other := filepath.Join(dir, "damaged.parquet"), filepath.Join(dir, "other.parquet")
	if err := parquet.WriteFile(other, []address{{"u", 1}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ kind, path, split, want string }{
		{"parquet", damaged, "", "damaged.parquet"},
		{"parquet", other, "", "no column of captions among url, size"},
		{"parquet", other, "val", "parquet has no splits"},
		{"captions", dir, "", "want a file that ends in .txt"},
		{"cc", filepath.Join(dir, "absent.tsv"), "", "no such file"},
		{"hierarcaps", dir, "", "hierarcaps_test.csv and no"},
		{"hierarcaps", write(t, map[string]string{"hierarcaps_test.csv": "a\n"}), "", `columns ["a"], want captions`},
		{"hierarcaps", write(t, map[string]string{"hierarcaps_test.csv": "captions,image_url\na => b,x.jpg\n"}), "", `chain "a => b" has 2 levels`},
		{"hierarcaps", write(t, map[string]string{"hierarcaps_test.csv": "captions,image_url\na => b => c => d,x\n"}), "", "no name of a picture"},
	} {
		if _, err := Open(c.kind, c.path, c.split); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got %v, want %q", c.kind, c.path, err, c.want)
		}
	}
}
