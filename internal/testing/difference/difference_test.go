package difference

import (
	"encoding/gob"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"sort"
	"testing"
	"time"

	"gosphere/internal/testing/sessiontest"
)

// known matches texts that differ: fmt's text for a nil receiver of a value method, and addresses,
// which it prints for pointers in fields whose methods it may not call.
const known = `(runtime error: invalid memory address or nil pointer dereference|value method main\.\w+\.\w+ called using nil \*\w+ pointer)|0x[0-9a-f]{9,12}\b`

var (
	seconds  = flag.Float64("seconds", 0, "generate programs for this long")
	seed     = flag.Uint64("seed", 5060, "seed of the first program; 30 from the default on have no known difference")
	batch    = flag.Int("batch", 100, "programs compiled in one piece")
	minimal  = flag.Int("minimize", 0, "make this many finds small")
	folder   = flag.String("keep", "", "folder that gets a file for each find")
	ignore   = flag.String("ignore", known, "expression for texts in outputs that do not count")
	program  = flag.String("program", "", "file with a program to compare")
	workerOf = "GOSPHERE_DIFFERENCE_WORKER"
)

// TestMain makes the test binary a worker that runs programs: run-time types are never freed, so a
// long run needs new processes from time to time.
func TestMain(m *testing.M) {
	if os.Getenv(workerOf) != "" {
		if err := work(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// work answers each program with its outcome.
func work(in io.Reader, out io.Writer) error {
	options := sessiontest.Options()
	programs, outcomes := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		var cells []string
		if err := programs.Decode(&cells); err != nil {
			return nil // the end of the input
		}
		run := Play
		if os.Getenv(workerOf) == "each" {
			run = PlayEach
		}
		outcome, err := run(options, cells)
		if err != nil {
			return err
		}
		if err := outcomes.Encode(outcome); err != nil {
			return err
		}
	}
}

// inWorkers runs the programs in a worker. If the worker dies or a program hangs, another worker
// continues after that program.
func inWorkers(programs [][]string) ([]Outcome, error) { return inWorkersOf("programs", programs) }

func inWorkersOf(what string, programs [][]string) ([]Outcome, error) {
	var outcomes []Outcome
	for len(outcomes) < len(programs) {
		list, err := playSome(what, programs[len(outcomes):])
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, list...)
	}
	return outcomes, nil
}

// playSome runs programs up to the first that hangs or ends the process.
func playSome(what string, programs [][]string) ([]Outcome, error) {
	worker := exec.Command(os.Args[0])
	worker.Env = append(os.Environ(), workerOf+"="+what)
	stdin, err := worker.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := worker.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := worker.Start(); err != nil {
		return nil, err
	}
	defer worker.Wait()
	defer worker.Process.Kill()
	in, out := gob.NewEncoder(stdin), gob.NewDecoder(stdout)
	var outcomes []Outcome
	for _, cells := range programs {
		var outcome Outcome
		if err := in.Encode(cells); err != nil {
			return append(outcomes, Outcome{Failure: "the process is gone", Ended: true}), nil
		}
		if err := out.Decode(&outcome); err != nil {
			return append(outcomes, Outcome{Failure: "the process died", Ended: true}), nil
		}
		outcomes = append(outcomes, outcome)
		if !outcome.Ended {
			break
		}
	}
	return outcomes, nil
}

func importer(t testing.TB) Importer {
	t.Helper()
	return sessiontest.Packages(t).Import
}

func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go tool is needed to compile programs")
	}
}

func TestCellsMeanWhatCompiledGoMeans(t *testing.T) {
	needGo(t)
	types := importer(t)
	started := time.Now()
	counts, verdicts := map[string][]Find{}, map[Verdict]int{}
	next, count := *seed, *batch
	var found []uint64
	if *seconds == 0 {
		count = 30
	}
	for first := true; first || time.Since(started).Seconds() < *seconds; first = false {
		programs, seeds := Programs(types, next, count)
		next = seeds[len(seeds)-1] + 1
		finds, err := Compare(programs, inWorkers)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range finds {
			if *ignore != "" {
				f.Compiled, f.Outcome.Output = without(*ignore, f.Compiled), without(*ignore, f.Outcome.Output)
				f.Verdict = judge(f.Compiled, f.Outcome)
			}
			f.Seed = seeds[f.Seed]
			verdicts[f.Verdict]++
			if f.Verdict != Equal {
				found = append(found, f.Seed)
				counts[f.Signature()] = append(counts[f.Signature()], f)
				fmt.Printf("%s, seed %d: %s\n", f.Verdict, f.Seed, f.Signature())
				keep(t, f, "")
			}
		}
	}
	total := verdicts[Equal] + verdicts[Loud] + verdicts[Wrong]
	t.Logf("%d programs, seeds %d to %d, %.1f per second: %v", total, *seed, next-1, float64(total)/time.Since(started).Seconds(), verdicts)
	t.Logf("finds: %d", found)
	report(t, types, counts)
}

// keep writes a find to the folder for finds, if there is one.
func keep(t *testing.T, f Find, what string) {
	if *folder == "" {
		return
	}
	text := fmt.Sprintf("%s\n// %q\n// got:\n// %q\n// want:\n// %q\n", f.Source, f.Outcome.Failure, f.Outcome.Output, f.Compiled)
	if err := os.WriteFile(fmt.Sprintf("%s/%s-%d%s.go", *folder, f.Verdict, f.Seed, what), []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}

// without removes irrelevant parts from a text.
func without(expression, text string) string {
	return regexp.MustCompile(expression).ReplaceAllString(text, "")
}

// report lists the finds by their signatures, silent ones first, and minimizes some.
func report(t *testing.T, types Importer, counts map[string][]Find) {
	var signatures []string
	for s := range counts {
		signatures = append(signatures, s)
	}
	sort.Slice(signatures, func(i, j int) bool {
		a, b := counts[signatures[i]], counts[signatures[j]]
		if a[0].Verdict != b[0].Verdict {
			return a[0].Verdict > b[0].Verdict
		}
		return len(a) > len(b)
	})
	for i, s := range signatures {
		f := counts[s][0]
		for _, other := range counts[s] {
			if len(other.Source) < len(f.Source) {
				f = other
			}
		}
		t.Errorf("%s, %d times, seed %d: %s", f.Verdict, len(counts[s]), f.Seed, s)
		if i < *minimal {
			if small, err := Minimize(types, f, inWorkers); err != nil {
				t.Error(err)
			} else {
				f = small
			}
			got, want := f.FirstDifference()
			t.Logf("%s\n%s\ngot:  %s\nwant: %s", f.Outcome.Failure, f.Source, got, want)
		}
		keep(t, f, "-small")
	}
}

// TestOneProgram compares the program in a file, to investigate a find.
func TestOneProgram(t *testing.T) {
	needGo(t)
	if *program == "" {
		t.Skip("no -program")
	}
	text, err := os.ReadFile(*program)
	if err != nil {
		t.Fatal(err)
	}
	finds, err := Compare([]string{remark(string(text), 0)}, playHere)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range finds {
		if *minimal > 0 && f.Verdict != Equal {
			if f, err = Minimize(importer(t), f, inWorkers); err != nil {
				t.Fatal(err)
			}
			t.Log(f.Source)
		}
		t.Logf("%s %s\ngot:\n%s\nwant:\n%s", f.Verdict, f.Outcome.Failure, f.Outcome.Output, f.Compiled)
	}
}

// playHere runs programs in this process.
func playHere(programs [][]string) ([]Outcome, error) {
	options := sessiontest.Options()
	var outcomes []Outcome
	for _, cells := range programs {
		o, err := Play(options, cells)
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, nil
}
