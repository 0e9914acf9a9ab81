package children

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestNamesMayContainAnything(t *testing.T) {
	p, ok := parse("42 (a) b (c)) S 7 8 9 0 -1 4194304")
	if want := (process{42, 7, 8, 9}); !ok || p != want {
		t.Errorf("%+v, %v; want %+v", p, ok, want)
	}
	for _, text := range []string{"", "42", "42 (sh", "x (sh) S 1 2 3", "42 (sh) S 1"} {
		if p, ok := parse(text); ok {
			t.Errorf("%q is read as %+v", text, p)
		}
	}
}

func TestDescendantsAndGroupsAreChosen(t *testing.T) {
	all := []process{
		{10, 1, 10, 5},  // this process
		{11, 10, 10, 5}, // its child
		{12, 11, 12, 5}, // its grandchild in another group
		{13, 10, 13, 13},
		{14, 1, 14, 5}, // in a group of a shell command whose leader has ended
		{15, 14, 99, 5},
		{16, 1, 14, 6}, // the number of the group is used by another session
		{17, 1, 17, 5}, // no relation
	}
	got := chosen(all, map[int]bool{14: true}, 10, 5)
	slices.Sort(got)
	if want := []int{11, 12, 14, 15}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestMain lets this program be a kernel that has started processes and ends.
func TestMain(m *testing.M) {
	if os.Getenv("CHILDREN_TEST") == "" {
		os.Exit(m.Run())
	}
	child := exec.Command("sh", "-c", "sleep 1000 & echo $! $$; wait")
	child.Stdout = os.Stdout
	if err := child.Start(); err != nil {
		os.Exit(1)
	}
	bufio.NewReader(os.Stdin).ReadString('\n')
	End()
	os.Exit(0)
}

func TestTheProcessesEnd(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kernel := exec.Command(program)
	kernel.Env = append(os.Environ(), "CHILDREN_TEST=1")
	input, err := kernel.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := kernel.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := kernel.Start(); err != nil {
		t.Fatal(err)
	}
	// The line comes once both processes run, and the output ends when both have ended: they have
	// its other end.
	lines := bufio.NewReader(output)
	if line, err := lines.ReadString('\n'); err != nil || len(strings.Fields(line)) != 2 {
		t.Fatalf("started %q, %v", line, err)
	}
	input.Close()
	if rest, err := lines.ReadString('\n'); err == nil {
		t.Errorf("printed %q", rest)
	}
	if err := kernel.Wait(); err != nil {
		t.Error(err)
	}
}
