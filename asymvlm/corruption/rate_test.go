package corruption

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestLettersChangeAtTheirRate counts the changed letters of a long text. Bounds are five standard
// deviations of a binomial count.
func TestLettersChangeAtTheirRate(t *testing.T) {
	text := strings.Repeat("abcdefghij ", 2000)
	const letters = 20000
	for _, rate := range []float64{0.05, 0.35, 1} {
		bound := 5 * math.Sqrt(rate*(1-rate)*letters)
		count := func(name string) (string, int) {
			damaged, err := Text(name, text, rate, 3)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, r := range damaged {
				if unicode.IsLetter(r) {
					n++
				}
			}
			return damaged, n
		}
		if _, n := count("character-insert"); math.Abs(float64(n-letters)-rate*letters) > bound {
			t.Errorf("rate %g: %d letters were put in", rate, n-letters)
		}
		if _, n := count("character-delete"); math.Abs(float64(letters-n)-rate*letters) > bound {
			t.Errorf("rate %g: %d letters were left out", rate, letters-n)
		}
		damaged, n := count("character-substitute")
		changed := 0
		for i := range text {
			if damaged[i] != text[i] {
				changed++
			}
		}
		if n != letters || math.Abs(float64(changed)-rate*letters) > bound {
			t.Errorf("rate %g: %d of %d letters became others", rate, changed, n)
		}
	}
	// A word of n letters has n−1 positions to swap, and a letter is moved once: rate 1 swaps every
	// disjoint pair.
	if got, _ := Text("character-swap", "abcde fg h", 1, 1); got != "badce gf h" {
		t.Errorf("all pairs swapped are %q", got)
	}
}

func TestSubstitutesAreEquallyLikely(t *testing.T) {
	text := strings.Repeat("m", 26000)
	damaged, err := Text("character-substitute", text, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[rune]float64{}
	for _, r := range damaged {
		counts[r]++
	}
	// 25 letters, 1040 times each; χ² with 24 degrees of freedom exceeds 60 for one of 20,000
	// seeds.
	chi := 0.0
	for _, n := range counts {
		chi += (n - 1040) * (n - 1040) / 1040
	}
	if len(counts) != 25 || counts['m'] != 0 || chi > 60 {
		t.Errorf("%d letters, χ² %.1f", len(counts), chi)
	}
}

func TestKeyboardHitsOneLetterOfEveryWordThatHasSome(t *testing.T) {
	const words = "Café naïve ЯЛТА été x 42 ñandú HELLO"
	for seed := range uint64(200) {
		damaged, err := Text("keyboard", words, 1, seed)
		if err != nil {
			t.Fatal(err)
		}
		before, after := strings.Fields(words), strings.Fields(damaged)
		for i, word := range before {
			old, now := []rune(word), []rune(after[i])
			changed := 0
			for k := range old {
				if old[k] != now[k] {
					changed++
					if !slices.Contains(neighbors(unicode.ToLower(old[k])), unicode.ToLower(now[k])) || unicode.IsUpper(old[k]) != unicode.IsUpper(now[k]) {
						t.Fatalf("%q in %q became %q", old[k], word, now[k])
					}
				}
			}
			want := 1
			if word == "ЯЛТА" || word == "42" {
				want = 0
			}
			if changed != want {
				t.Fatalf("seed %d: %d letters of %q changed: %q", seed, changed, word, after[i])
			}
		}
	}
}

// TestCountsOfChangedWordsFollowTheRule checks max(1, int(rate·words)) at ELIP's rates of 0.05 to
// 0.35.
func TestCountsOfChangedWordsFollowTheRule(t *testing.T) {
	// All words have synonyms, and all differ.
	words := []string{"man", "woman", "child", "dog", "horse", "car", "truck", "house", "couch", "table", "lamp", "cup", "bowl", "cake", "field", "beach", "hat", "shirt", "bag", "red"}
	for n := 1; n <= len(words); n++ {
		text := strings.Join(words[:n], " ")
		for k := 1; k <= 7; k++ {
			rate := 0.05 * float64(k)
			want := max(1, int(rate*float64(n)))
			damaged, err := Text("synonym", text, rate, uint64(k))
			if err != nil {
				t.Fatal(err)
			}
			changed := 0
			for i, word := range strings.Fields(damaged) {
				if word != words[i] {
					changed++
				}
			}
			inserted, _ := Text("word-insert", text, rate, uint64(k))
			if added := len(strings.Fields(inserted)) - n; changed != want || added != want {
				t.Errorf("%d words at %g: %d replaced, %d put in, want %d", n, rate, changed, added, want)
			}
			marked, _ := Text("punctuation", text, rate, uint64(k))
			if marks := len(strings.Fields(marked)) - n; marks < 1 || marks > int(rate*float64(n)+1) {
				t.Errorf("%d words at %g: %d marks, want 1 to %d", n, rate, marks, int(rate*float64(n)+1))
			}
		}
	}
}

// TestDeletedWordsAreThePartOfTheRate counts over many words; one word is always kept.
func TestDeletedWordsAreThePartOfTheRate(t *testing.T) {
	text := strings.Repeat("word ", 10000)
	for _, rate := range []float64{0.05, 0.35, 0.9} {
		kept, err := Text("word-delete", text, rate, 8)
		if err != nil {
			t.Fatal(err)
		}
		if gone := 10000 - len(strings.Fields(kept)); math.Abs(float64(gone)-rate*10000) > 5*math.Sqrt(rate*(1-rate)*10000) {
			t.Errorf("rate %g: %d of 10000 words are gone", rate, gone)
		}
	}
	for seed := range uint64(50) {
		if kept, _ := Text("word-delete", "one two", 1, seed); kept != "one" && kept != "two" {
			t.Errorf("of two words %q stays", kept)
		}
	}
}

// TestNaturalNoiseMakesTheErrorsThatItStates measures the rate of a long text by the edit distance.
// Neighboring errors that one change explains, such as an omitted word next to a repeated one, make
// it slightly smaller.
func TestNaturalNoiseMakesTheErrorsThatItStates(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat(caption+" ", 100)) // 2,100 words
	for _, rate := range []float64{0.01, 0.03, 0.1, 0.3, 0.6, 1} {
		written, err := NaturalNoise(text, rate, 11)
		if err != nil {
			t.Fatal(err)
		}
		got, err := WordErrorRate(text, written)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("stated %g, measured %.4f", rate, got)
		if deviation := math.Sqrt(rate * (1 - rate) / 2100); math.Abs(got-rate) > 5*deviation+0.08*rate*rate {
			t.Errorf("stated %g, measured %g", rate, got)
		}
	}
}

func TestEverySlipChangesItsWord(t *testing.T) {
	r := random("test", 1)
	words := append(strings.Fields(caption), "a", "I", "42", "x2", "café", "ß", "...", "日本", "aa", "ing", "sss", "Ǆ", "-")
	for _, word := range words {
		for range 50 {
			if written := misWrite(word, r); written == word || len(strings.Fields(written)) != 1 {
				t.Errorf("%q is written %q", word, written)
			}
		}
	}
}

// TestWordErrorRateIsADistance compares with a plain recursion and checks the properties of a
// distance: symmetry, the triangle inequality and identity.
func TestWordErrorRateIsADistance(t *testing.T) {
	var edit func(a, b []string) int
	edit = func(a, b []string) int {
		switch {
		case len(a) == 0:
			return len(b)
		case len(b) == 0:
			return len(a)
		case a[0] == b[0]:
			return edit(a[1:], b[1:])
		}
		return 1 + min(edit(a[1:], b), edit(a, b[1:]), edit(a[1:], b[1:]))
	}
	r := random("texts", 3)
	draw := func() string {
		words := make([]string, 1+r.IntN(5))
		for i := range words {
			words[i] = string(rune('a' + r.IntN(3)))
		}
		return strings.Join(words, " ")
	}
	distance := func(a, b string) int {
		rate, err := WordErrorRate(a, b)
		if err != nil {
			t.Fatal(err)
		}
		n := float64(len(strings.Fields(a)))
		return int(math.Round(rate * n))
	}
	for range 500 {
		a, b, c := draw(), draw(), draw()
		ab := distance(a, b)
		if want := edit(strings.Fields(a), strings.Fields(b)); ab != want {
			t.Errorf("%q and %q are %d apart, want %d", a, b, ab, want)
		}
		if ab != distance(b, a) || ab > distance(a, c)+distance(c, b) || (ab == 0) != (a == b) {
			t.Errorf("%q, %q and %q: no distance", a, b, c)
		}
	}
	if rate, err := WordErrorRate("a  b\tc", " a b\nc "); err != nil || rate != 0 {
		t.Errorf("white space counts %g (error %v)", rate, err)
	}
}

func TestTextsDoNotDependOnTheThread(t *testing.T) {
	want := map[string]string{}
	for _, name := range TextNames() {
		want[name], _ = Text(name, caption, 0.3, 17)
	}
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for _, name := range TextNames() {
				if got, err := Text(name, caption, 0.3, 17); err != nil || got != want[name] {
					t.Errorf("%s: %q, want %q (error %v)", name, got, want[name], err)
				}
			}
		})
	}
	running.Wait()
}

func TestSynonymsAreMutualAndNoStopWords(t *testing.T) {
	for word, others := range synonyms() {
		for _, other := range others {
			if !slices.Contains(synonyms()[other], word) || other == word {
				t.Errorf("%q stands for %q, but not the other way round", other, word)
			}
		}
		if slices.Contains([]string{"a", "the", "of", "and", "is", "are", "with", "to"}, word) {
			t.Errorf("the stop word %q has synonyms", word)
		}
	}
}

// FuzzText damages arbitrary texts: it must not panic, UTF-8 must stay valid, a rate of 0 must
// change nothing, and equal arguments must produce equal texts.
func FuzzText(f *testing.F) {
	f.Add(uint8(0), caption, 0.3, uint64(1))
	f.Add(uint8(3), "", 1.0, uint64(2))
	f.Add(uint8(11), "İstanbul ß ﬀ\x80 \u2028 —", 1.0, uint64(3))
	f.Fuzz(func(t *testing.T, which uint8, text string, rate float64, seed uint64) {
		names := TextNames()
		name := names[int(which)%len(names)]
		damaged, err := Text(name, text, rate, seed)
		if (err == nil) != (rate >= 0 && rate <= 1) {
			t.Fatalf("rate %g: error %v", rate, err)
		}
		if err != nil {
			if !strings.Contains(err.Error(), fmt.Sprint(rate)) {
				t.Errorf("error %q does not have the rate %g", err, rate)
			}
			return
		}
		if rate == 0 && damaged != text {
			t.Errorf("%s: a rate of 0 made %q of %q", name, damaged, text)
		}
		if utf8.ValidString(text) && !utf8.ValidString(damaged) {
			t.Errorf("%s: %q became %q", name, text, damaged)
		}
		if again, _ := Text(name, text, rate, seed); again != damaged {
			t.Errorf("%s: %q, and then %q", name, damaged, again)
		}
	})
}
