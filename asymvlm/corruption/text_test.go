package corruption

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const caption = "A young man is riding a brown horse near the ocean, while two dogs are running on the beach behind him."

func TestTextsAreTheSameForTheSameSeed(t *testing.T) {
	for _, name := range TextNames() {
		a, err := Text(name, caption, 0.3, 5)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := Text(name, caption, 0.3, 5); a != b {
			t.Errorf("%s: one seed gave %q and %q", name, a, b)
		}
		if a == caption {
			t.Errorf("%s: nothing changed", name)
		}
		if same, _ := Text(name, caption, 0, 5); same != caption {
			t.Errorf("%s: rate 0 gave %q", name, same)
		}
		for _, text := range []string{"", "7", " ,. ", "é", "a"} {
			if _, err := Text(name, text, 1, 1); err != nil {
				t.Errorf("%s of %q: %v", name, text, err)
			}
		}
	}
}

// changedWords returns the number of words of a text that differ from the caption's word at the
// same position.
func changedWords(t *testing.T, text string) int {
	t.Helper()
	a, b := strings.Fields(caption), strings.Fields(text)
	if len(a) != len(b) {
		t.Fatalf("%q has %d words, want %d", text, len(b), len(a))
	}
	changed := 0
	for i := range a {
		if a[i] != b[i] {
			changed++
		}
	}
	return changed
}

func TestKeyboardHitsNeighborsAtItsRate(t *testing.T) {
	changed, words := 0, 0
	for seed := range uint64(400) {
		text, err := Text("keyboard", caption, 0.2, seed)
		if err != nil {
			t.Fatal(err)
		}
		changed += changedWords(t, text)
		words += len(strings.Fields(caption))
		for i, r := range text {
			old := rune(caption[i])
			if r != old && !slices.Contains(neighbors(unicode.ToLower(old)), unicode.ToLower(r)) {
				t.Fatalf("%q became %q, no neighbor", old, r)
			}
		}
	}
	// 8,400 words at a rate of 0.2: a standard deviation of 0.0044.
	if rate := float64(changed) / float64(words); math.Abs(rate-0.2) > 0.02 {
		t.Errorf("rate %g, want 0.2", rate)
	}
}

func TestScanningConfusesShapesAtItsRate(t *testing.T) {
	changed, words := 0, 0
	for seed := range uint64(400) {
		text, err := Text("ocr", caption, 0.2, seed)
		if err != nil {
			t.Fatal(err)
		}
		changed += changedWords(t, text)
		words += len(strings.Fields(caption))
	}
	// 8,400 words at a rate of 0.2, all with a letter that can be misread: a standard deviation of
	// 0.0044.
	if rate := float64(changed) / float64(words); math.Abs(rate-0.2) > 0.02 {
		t.Errorf("rate %g, want 0.2", rate)
	}
	for _, shape := range shapes {
		for _, other := range strings.Fields(shape)[1:] {
			if other == strings.Fields(shape)[0] {
				t.Errorf("%q is confused with itself", other)
			}
		}
	}
	if text, _ := Text("ocr", "xyz 42", 1, 1); text != "xyz 42" {
		t.Errorf("words without confusable letters became %q", text)
	}
}

func TestNeighborsTouchEachOther(t *testing.T) {
	for letter, want := range map[rune]string{'g': "fhtyvb", 'q': "wa", 'm': "njk", 'p': "ol"} {
		got, wanted := neighbors(letter), []rune(want)
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("neighbors of %c are %q, want %q", letter, string(got), want)
		}
		for _, other := range got {
			if !slices.Contains(neighbors(other), letter) {
				t.Errorf("%c touches %c, but not the other way round", letter, other)
			}
		}
	}
}

func TestCharacterChangesKeepTheRest(t *testing.T) {
	letters := 0
	for _, r := range caption {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	change := map[string]float64{"character-insert": 1, "character-substitute": 0, "character-delete": -1, "character-swap": 0}
	for name, sign := range change {
		sum := 0.0
		for seed := range uint64(200) {
			text, _ := Text(name, caption, 0.1, seed)
			sum += float64(len(text) - len(caption))
			if strings.Count(text, " ") != strings.Count(caption, " ") {
				t.Fatalf("%s moved the spaces: %q", name, text)
			}
		}
		// A standard deviation of 0.3·√80/√200 ≈ 0.2 letters.
		if got, want := sum/200, sign*0.1*float64(letters); math.Abs(got-want) > 1 {
			t.Errorf("%s: length changes by %g on average, want %g", name, got, want)
		}
	}
}

func TestSynonymsReplaceAsManyWordsAsTheRateSays(t *testing.T) {
	plain := strings.Join(plainWords(caption), " ")
	for rate, want := range map[float64]int{0.01: 1, 0.1: 2, 0.2: 4} {
		text, err := Text("synonym", caption, rate, 9)
		if err != nil {
			t.Fatal(err)
		}
		a, b := strings.Fields(plain), strings.Fields(text)
		changed := 0
		for i := range a {
			if a[i] != b[i] {
				changed++
				if !slices.Contains(synonyms()[a[i]], b[i]) {
					t.Errorf("%q is no synonym of %q", b[i], a[i])
				}
			}
		}
		if changed != want {
			t.Errorf("rate %g: %d words changed in %q, want %d", rate, changed, text, want)
		}
	}
	swapped, _ := Text("word-swap", caption, 0.2, 9)
	a, b := strings.Fields(plain), strings.Fields(swapped)
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Errorf("swapping changed the words: %q", swapped)
	}
	if gone, _ := Text("word-delete", caption, 1, 9); len(strings.Fields(gone)) != 1 {
		t.Errorf("deleting all words left %q", gone)
	}
	if longer, _ := Text("word-insert", caption, 0.2, 9); len(strings.Fields(longer)) != len(a)+4 {
		t.Errorf("inserting gave %q", longer)
	}
}

func TestNaturalNoiseHasItsWordErrorRate(t *testing.T) {
	for _, want := range []float64{0.03, 0.1, 0.3} {
		sum := 0.0
		for seed := range uint64(500) {
			text, err := NaturalNoise(caption, want, seed)
			if err != nil {
				t.Fatal(err)
			}
			rate, err := WordErrorRate(caption, text)
			if err != nil {
				t.Fatal(err)
			}
			sum += rate
		}
		// 10,500 words; two errors count once if one change explains them.
		if got := sum / 500; math.Abs(got/want-1) > 0.12 {
			t.Errorf("word error rate %g, want %g", got, want)
		}
	}
}

func TestWordErrorRateIsAnEditDistance(t *testing.T) {
	for written, want := range map[string]float64{
		"a b c d": 0, "a x c d": 0.25, "a c d": 0.25, "a b b c d": 0.25, "b a c d": 0.5, "": 1, "w x y z q": 1.25,
	} {
		if got, err := WordErrorRate("a b c d", written); err != nil || got != want {
			t.Errorf("%q: %g, want %g (error %v)", written, got, want, err)
		}
	}
}

func TestAcceptedTextsAreAskedFor(t *testing.T) {
	asked := 0
	var seen []string
	text, accepted, err := TextAccepted("keyboard", caption, 0.3, 100, func(candidate string) bool {
		asked++
		seen = append(seen, candidate)
		return asked == 3
	})
	if err != nil || !accepted || asked != 3 || text != seen[2] || seen[0] == seen[1] || seen[1] == seen[2] {
		t.Errorf("%q of %q, accepted %v, error %v", text, seen, accepted, err)
	}
	// Texts of one length that begin with the same words are not damaged at the same positions.
	same := 0
	for _, end := range []string{"dog", "cat", "cow", "hen", "pig", "bee"} {
		first, _, _ := TextAccepted("keyboard", caption+end, 0.1, 1, func(string) bool { return true })
		if start, _, _ := TextAccepted("keyboard", caption+"owl", 0.1, 1, func(string) bool { return true }); start[:len(caption)] == first[:len(caption)] {
			same++
		}
	}
	if same > 1 {
		t.Errorf("%d of 6 texts are damaged alike", same)
	}
	if _, _, err := TextAccepted("keyboard", caption, 0.3, 0, nil); err == nil || err.Error() != "corruption: 0 tries, want at least one" {
		t.Errorf("error %v", err)
	}
	if _, _, err := TextAccepted("keyboard", caption, 3, 5, nil); err == nil {
		t.Error("a rate of 3 is no error")
	}
	if _, accepted, _ = TextAccepted("keyboard", caption, 0.3, 5, func(string) bool { return false }); accepted {
		t.Error("a text was accepted that none accepts")
	}
}

func TestErrorsOfTextsNameTheValue(t *testing.T) {
	cases := []struct {
		err  error
		want string
	}{
		{second(Text("scan", caption, 0.1, 0)), `"scan", want one of`},
		{second(Text("keyboard", caption, 1.1, 0)), "rate 1.1, want 0 to 1"},
		{second(Text("keyboard", caption, math.NaN(), 0)), "rate NaN"},
		{second(WordErrorRate(" ", "a")), "no words"},
	}
	for _, c := range cases {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}
