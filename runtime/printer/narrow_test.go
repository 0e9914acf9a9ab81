package printer

import (
	"testing"
	"unicode/utf8"
)

func TestTheLineOfATrainingFitsIntoNarrowTerminals(t *testing.T) {
	const training = "[##########··············] [3/120] training asymvlm-vmf: 135 of 320, 2.85/s, 1:41 left, epoch 9/20, loss 4.637, tau 2.15, kappa 2.61, 1427 samples/s"
	for columns, want := range map[int]string{
		160: training,
		130: "[##########··············] [3/120] 135 of 320, 2.85/s, 1:41 left, epoch 9/20, loss 4.637, tau 2.15, kappa 2.61, 1427 samples/s",
		120: "[##########··············] [3/120] 135 of 320, 1:41 left, epoch 9/20, loss 4.637, tau 2.15, kappa 2.61, 1427 samples/s",
		104: "[###·····] [3/120] 135 of 320, 1:41 left, epoch 9/20, loss 4.637, tau 2.15, kappa 2.61, 1427 samples/s",
		92:  "[3/120] 135 of 320, 1:41 left, epoch 9/20, loss 4.637, tau 2.15, kappa 2.61, 1427 samples/s",
		80:  "[3/120] 135 of 320, 1:41 left, epoch 9/20, loss 4.637, tau 2.15, kappa 2.61, 14…",
	} {
		got := oneLine(training, columns)
		if got != want || utf8.RuneCountInString(got) > columns {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}

func TestOtherLinesAreOnlyCut(t *testing.T) {
	for text, want := range map[string]string{
		"[a list] of words: 3 of 4, and more":              "[a list] of words: …",
		"reading files: 1 of 2, all of them from far away": "reading files: 1 of…",
		"[####] short: 2 of 2":                             "[####] short: 2 of 2",
		"[] empty: 2 of 2, nothing is known of it":         "[] empty: 2 of 2, n…",
	} {
		if got := oneLine(text, 20); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAnEndedBarKeepsWhatIsSaidAtTheEnd(t *testing.T) {
	const ended = "[########################] training asymvlm-vmf: 48 of 48 in 11 s, epoch 3/3, loss 5.338, tau 1.63, kappa 1.06, 2231 samples/s"
	if got, want := oneLine(ended, 79), "48 of 48 in 11 s, epoch 3/3, loss 5.338, tau 1.63, kappa 1.06, 2231 samples/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
