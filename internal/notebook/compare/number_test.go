package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNumbersOfEveryWritingAreRead(t *testing.T) {
	for text, want := range map[string]struct{ value, unit float64 }{
		"0":       {0, 0},
		"17":      {17, 0},
		"+3":      {3, 0},
		"-3":      {-3, 0},
		"−3":      {-3, 0},
		"0.25":    {0.25, 0.01},
		"−2.50":   {-2.5, 0.01},
		".5":      {0.5, 0.1},
		"5.":      {5, 1},
		"1e-5":    {1e-5, 1e-5},
		"1E+2":    {100, 100},
		"2.5e3":   {2500, 100},
		"1.25e-3": {1.25e-3, 1e-5},
		"-0":      {0, 0},
	} {
		list := tokens(text)
		if len(list) != 1 || !list[0].number || list[0].value != want.value || math.Abs(list[0].unit-want.unit) > 1e-12*want.unit {
			t.Errorf("%s is read as %+v, want %v with the unit %v", text, list, want.value, want.unit)
		}
	}
	for _, text := range []string{"NaN", "Inf", "1e999", "R2", "float64", "κ1", "x_5", "e5", "_1"} {
		if list := tokens(text); list[0].number {
			t.Errorf("%s is read as the number %g", text, list[0].value)
		}
	}
}

// cut returns the pieces of a line separated by middle dots, with numbers in brackets.
func cut(text string) string {
	var list []string
	for _, k := range tokens(text) {
		switch {
		case k.number:
			list = append(list, fmt.Sprintf("[%g]", k.value))
		case k.rule:
			list = append(list, "rule")
		default:
			list = append(list, k.text)
		}
	}
	return strings.Join(list, "·")
}

func TestLinesAreCutIntoWordsNumbersAndSigns(t *testing.T) {
	for text, want := range map[string]string{
		"κ=5":                   "κ·=·[5]",
		"(-1.5, +2)":            "(·[-1.5]·,· ·[2]·)",
		"2026-11-21":            "[2026]·-·[11]·-·[21]",
		"f(x)-3":                "f·(·x·)·-·[3]",
		"a[1]−2":                "a·[·[1]·]·−·[2]",
		"a - 2":                 "a· ·-· ·[2]",
		"a -2":                  "a· ·[-2]",
		"<td>-0.5</td>":         "<·td·>·[-0.5]·<·/·td·>",
		`{"R2":0.9}`:            `{·"·R2·"·:·[0.9]·}`,
		"1,234.5":               "[1]·,·[234.5]",
		"12:05":                 "[12]·:·[5]",
		"640×480":               "[640]·×·[480]",
		"0.4±0.1":               "[0.4]·±·[0.1]",
		"5e":                    "[5]·e",
		"5e-":                   "[5]·e·-",
		"100%":                  "[100]·%",
		"a ----- b":             "a· ·rule· ·b",
		"|---|:---|":            "|·rule·|·:·rule·|",
		"--5":                   "-·[-5]",
		"---5":                  "rule·[5]",
		"─── ═══ ━━━ ===":       "rule· ·rule· ·rule· ·rule",
		"a\t b":                 "a·\t ·b",
		"ein Straßenname, 3 €":  "ein· ·Straßenname·,· ·[3]· ·€",
		"\xff1":                 "\xff·[1]",
		"version 1.26.3-beta.2": "version· ·[1.26]·[0.3]·-·beta·[0.2]",
	} {
		if got := cut(text); got != want {
			t.Errorf("%q is cut as %s, want %s", text, got, want)
		}
	}
}

func TestNoLetterOfALineIsLost(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("01.5eE+-−─= \tκx_(){}<>|,;\u00a0é\"")
	for range 2000 {
		text := make([]rune, random.IntN(20))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		var again strings.Builder
		for _, k := range tokens(string(text)) {
			again.WriteString(k.text)
		}
		if again.String() != string(text) {
			t.Fatalf("%q became %q", string(text), again.String())
		}
	}
}

// TestToleranceIsMetFromBothSides samples numbers near the limit of the tolerance.
func TestToleranceIsMetFromBothSides(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		stored := (random.Float64() - 0.5) * math.Pow(10, float64(random.IntN(9)-4))
		tolerances := Tolerances{Relative: math.Pow(10, -float64(1+random.IntN(4))), Absolute: math.Pow(10, -float64(1+random.IntN(6)))}
		if random.IntN(3) == 0 {
			tolerances.Relative = 0
		}
		allowed := tolerances.allowed(stored)
		side := float64(1 - 2*random.IntN(2))
		write := func(x float64) string { return fmt.Sprintf("x %.12f y", x) }
		if lines := Text(write(stored), write(stored+0.999*side*allowed), tolerances); lines != nil {
			t.Fatalf("0.999 of what is allowed is refused: %q", lines)
		}
		if lines := Text(write(stored), write(stored+1.001*side*allowed+side*2e-12), tolerances); lines == nil {
			t.Fatalf("%g and 1.001 of what %+v allow pass", stored, tolerances)
		}
	}
}

func TestAbsoluteToleranceDoesNotDependOnTheOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	tolerances := Tolerances{Absolute: 0.05}
	differing := 0
	for range 3000 {
		a := fmt.Sprintf("a %.2f b %.1e\nc %d", random.Float64(), random.Float64(), random.IntN(3))
		b := fmt.Sprintf("a %.2f b %.1e\nc %d", random.Float64(), random.Float64(), random.IntN(3))
		there, back := Text(a, b, tolerances), Text(b, a, tolerances)
		if (there == nil) != (back == nil) {
			t.Fatalf("%q and %q: %q there, %q back", a, b, there, back)
		}
		if there != nil {
			differing++
		}
	}
	if differing == 0 || differing == 3000 {
		t.Errorf("%d of 3000 differ", differing)
	}
}

func TestSpecialValuesAgreeOnlyWithThemselves(t *testing.T) {
	wide := Tolerances{Absolute: 1e300, Relative: 1e3}
	values := []string{"NaN", "+Inf", "-Inf", "0", "1.5", "nan", "<nil>", "true", "1e999"}
	for i, stored := range values {
		for j, fresh := range values {
			lines := Text("x "+stored+" y", "x "+fresh+" y", wide)
			agree := i == j || strings.Trim(stored+fresh, "01.5") == "" // two finite numbers
			if (lines == nil) != agree {
				t.Errorf("%s and %s: %q", stored, fresh, lines)
			}
		}
	}
}

func TestSignOfANumberCounts(t *testing.T) {
	near := Tolerances{Relative: 0.01}
	for _, test := range []struct {
		stored, fresh string
		equal         bool
	}{
		{"S -0.5", "S 0.5", false},
		{"S −0.5", "S -0.5", true}, // both are minus signs
		{"S +0.5", "S 0.5", true},
		{"S -0.0", "S 0.0", true},
		{"S -0.001", "S 0.000", true}, // one unit of the last digit
		{"S -0.01", "S 0.01", false},
		{"0.50-0.25", "0.50-0.27", false},
		{"0.5-0.25", "0.5+0.25", false},
		{"[-1.00 1.00]", "[-1.01 1.00]", true},
		{"[-1.00 1.00]", "[1.00 -1.00]", false},
		{"-5", "5", false},
	} {
		if lines := Text(test.stored, test.fresh, near); (lines == nil) != test.equal {
			t.Errorf("%q and %q: %q", test.stored, test.fresh, lines)
		}
	}
}

func TestExponentsAreNumbersAndNotTexts(t *testing.T) {
	near := Tolerances{Relative: 1e-3}
	for _, test := range []struct {
		stored, fresh string
		equal         bool
	}{
		{"1e3", "1000", true},
		{"1.000e+03", "1.001e+03", true},
		{"1.000e+03", "1.010e+03", false},
		{"1.5e-07", "1.5e-08", false},
		{"9.99e-05", "0.0001", true},
		{"1e-5", "2e-5", true},    // one unit of the last digit
		{"1e-5", "3e-5", false},   // two
		{"1e+10", "1e+11", false}, // half a unit each
		{"0.5", "0.5499", true},
		{"0.5", "0.5999", false},
		{"6.02E23", "6.02e23", true},
	} {
		if lines := Text(test.stored, test.fresh, near); (lines == nil) != test.equal {
			t.Errorf("%q and %q: %q", test.stored, test.fresh, lines)
		}
	}
}
