package check_test

import (
	"testing"

	"gosphere/runtime/check"
)

func TestResultsTellWhatOfThemIsShown(t *testing.T) {
	const declared = "func Write() (int, error) { return 0, nil }\nfunc Print() (string, error) { return \"\", nil }\nfunc Scan() (a, b int, err error) { return }\n"
	for call, want := range map[string][2]bool{
		"fmt.Println(1)": {true, true}, "fmt.Fprint(os.Stdout)": {true, true}, "fmt.Sscan(\"\")": {true, true}, "(os.Stdout.WriteString(\"\"))": {true, true},
		"Write()": {true, true}, "Print()": {true, false}, "Scan()": {true, false}, "os.ReadFile(\"\")": {true, false}, "strconv.Atoi(\"\")": {true, false},
		"strings.Cut(\"\", \"\")": {false, false}, "func() (error, int) { return nil, 0 }()": {false, false}, "func() (int, error) { return 0, nil }()": {true, false},
		"1": {false, false}, "len(\"\")": {false, false}, "func() {}()": {false, false},
	} {
		checked, err := checkCell(check.NewSession(store(t)), 1, declared+call)
		if err != nil {
			t.Fatalf("%s: %v", call, err)
		}
		if fails, tellsSize := checked.ResultsShown(); fails != want[0] || tellsSize != want[1] {
			t.Errorf("%s: %v, %v, want %v", call, fails, tellsSize, want)
		}
	}
}
