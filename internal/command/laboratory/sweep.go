package laboratory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/sweep"
	"gosphere/internal/command/process"
	"gosphere/internal/userfile"
)

// Sweep is the subcommand that runs many trainings from a plan.
type Sweep struct {
	Plan string `arg:"" help:"TOML file of the plan: dataset, method, seeds, and the tables flags, grid and random." type:"path"`
	sources
	Out     string           `help:"Folder of the sweep (default: sweeps/<name of the plan>). Rerunning the command continues a stopped sweep." type:"path" placeholder:"FOLDER"`
	Jobs    process.Positive `short:"j" help:"Number of parallel trainings (default: 1)." placeholder:"N"`
	Threads nonNegativeInt   `help:"CPU threads per training (default: an equal share of the cores)." placeholder:"N"`
	Task    *nonNegativeInt  `help:"Run only the training with this number, counted from 0, as in a job array of a scheduler." placeholder:"N"`
	Missing bool             `help:"Print the numbers of unfinished trainings, such as 0-3,7 for sbatch --array, and exit. If there are none, print nothing and exit with status 1."`

	process.Compute
}

// Run runs the remaining trainings of the sweep and prints its table.
func (s Sweep) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return s.run(ctx, os.Stdout, os.Stderr)
}

// errNothingMissing makes the command fail, so that a script does not submit an empty job array.
var errNothingMissing = errors.New("--missing: all trainings of the sweep are done")

// A sweepRun is one training of a sweep.
type sweepRun struct {
	number int
	point  sweep.Point
	job    job
	train  Train
	eval   Eval
}

func (r sweepRun) String() string { return strings.TrimSpace(r.job.String() + " " + r.point.String()) }

// result returns the path of its result file.
func (r sweepRun) result() string {
	return resultFile(r.eval.Results, r.eval.Dataset, r.eval.Split, r.job)
}

func (s Sweep) run(ctx context.Context, stdout, stderr io.Writer) error {
	plan, err := sweep.Read(s.Plan)
	if err != nil {
		return err
	}
	if s.Out == "" {
		s.Out = filepath.Join("sweeps", strings.TrimSuffix(filepath.Base(s.Plan), filepath.Ext(s.Plan)))
	}
	runs, err := s.runs(plan)
	if err != nil {
		return err
	}
	if s.Task != nil && int(*s.Task) >= len(runs) {
		return fmt.Errorf("--task %d: the sweep has %d trainings, from 0 to %d", *s.Task, len(runs), len(runs)-1)
	}
	checksum, err := s.begin(plan, runs)
	if err != nil {
		return err
	}
	switch {
	case s.Missing:
		left := leftOver(runs, checksum)
		if left == "" {
			return errNothingMissing
		}
		_, err := fmt.Fprintln(stdout, left)
		return err
	case s.Task != nil:
		return s.do(ctx, runs[*s.Task], checksum, streams{stdout, stderr})
	}
	release, err := process.InTurn(ctx, s.Out, stderr)
	if err != nil {
		return err
	}
	defer release()
	if _, err := s.doAll(ctx, runs, checksum, stdout); err != nil {
		return err
	}
	if err := s.report(ctx, plan, runs, checksum, stdout); err != nil {
		return err
	}
	return incomplete(runs, checksum)
}

// incomplete returns an error that counts the trainings without a result and those in which nothing
// improved, or nil.
func incomplete(runs []sweepRun, checksum string) error {
	failed, unchanged := 0, 0
	for _, r := range runs {
		switch found := r.done(checksum); {
		case found == nil:
			failed++
		case found.notImproved():
			unchanged++
		}
	}
	var list []error
	if failed > 0 {
		list = append(list, fmt.Errorf("%d of %d trainings failed; rerun the command to retry them", failed, len(runs)))
	}
	if unchanged > 0 {
		list = append(list, fmt.Errorf("in %d of %d trainings no measurement on the validation set was better than that before the first step", unchanged, len(runs)))
	}
	return errors.Join(list...)
}

// runs returns the trainings: point by point, each with every seed and method. It parses every
// command line, so that invalid flags are reported before anything is trained.
func (s Sweep) runs(plan *sweep.Plan) ([]sweepRun, error) {
	var list []sweepRun
	for _, point := range plan.Points {
		folder := filepath.Join(s.Out, point.Folder())
		common := []string{"--dataset=" + plan.Dataset, "--embeddings=" + s.Embeddings, "--checkpoints=" + filepath.Join(folder, "checkpoints")}
		trainFlags := append(append([]string{"--split=" + plan.Split, "--resume"}, plan.Fixed.Flags()...), point.Flags()...)
		evalFlags := []string{"--results=" + filepath.Join(folder, "results"), "--split=" + plan.Evaluate}
		all := []string{"--seeds=" + plan.Seeds, "--method=" + strings.Join(plan.Methods, ",")}
		var whole Train
		if err := parseFlags(&whole, common, all, trainFlags); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Plan, err)
		}
		for _, j := range whole.jobs() {
			r := sweepRun{number: len(list), point: point, job: job{method: j.method, seed: j.seed}}
			one := []string{"--seeds=" + strconv.FormatUint(j.seed, 10), "--method=" + j.method}
			if err := errors.Join(parseFlags(&r.train, common, one, trainFlags), parseFlags(&r.eval, common, one, evalFlags)); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Plan, err)
			}
			if err := errors.Join(r.train.recipe.check([]string{j.method}), r.train.validating.check([]string{j.method})); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", s.Plan, r, err)
			}
			list = append(list, r)
		}
	}
	return list, nil
}

// parseFlags parses flags into a subcommand.
func parseFlags(command any, flags ...[]string) error {
	parser, err := kong.New(command, kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		return err
	}
	var all []string
	for _, list := range flags {
		all = append(all, list...)
	}
	if _, err := parser.Parse(all); err != nil {
		return errors.New(process.Plainly(err.Error()))
	}
	return nil
}

// begin creates the folder of the sweep and returns the checksum of the evaluation set. It returns
// an error if the folder belongs to a sweep with another plan.
func (s Sweep) begin(plan *sweep.Plan, runs []sweepRun) (checksum string, err error) {
	set, err := readDataset(s.Embeddings, plan.Dataset, plan.Evaluate)
	if err != nil {
		return "", err
	}
	train, err := readDataset(s.Embeddings, plan.Dataset, plan.Split)
	if err != nil {
		return "", err
	}
	for i := range runs {
		t := runs[i].train
		t.recipe.pairs = train.Texts.Rows
		if _, err := t.options(runs[i].job); err != nil {
			return "", fmt.Errorf("%s: %s: %w", s.Plan, runs[i], err)
		}
	}
	trained, err := adapter.ChecksumOf(train)
	if err != nil {
		return "", err
	}
	if checksum, err = adapter.ChecksumOf(set); err != nil {
		return "", err
	}
	path := filepath.Join(s.Out, "fixed.txt")
	text := fmt.Sprintf("train on %s of %s, checksum %s\n%s\n", plan.Split, plan.Dataset, trained, plan.Fixed)
	switch old, err := userfile.ReadFile(path, userfile.Source); {
	case err == nil && string(old) != text:
		return "", fmt.Errorf("%s holds a sweep with other data or flags:\n%s; this plan has\n%s; name another folder with --out", s.Out, strings.TrimSpace(string(old)), strings.TrimSpace(text))
	case err == nil:
		return checksum, nil
	}
	if err := os.MkdirAll(s.Out, 0o755); err != nil {
		return "", err
	}
	return checksum, userfile.Write(path, []byte(text))
}

// done returns the result of a training, or nil if there is none for this data.
func (r sweepRun) done(checksum string) *result {
	text, err := userfile.ReadFile(r.result(), userfile.Source)
	if err != nil {
		return nil
	}
	var found result
	if json.Unmarshal(text, &found) != nil || found.Checksum != checksum {
		return nil
	}
	return &found
}

// do runs and evaluates one training, unless it is done.
func (s Sweep) do(ctx context.Context, r sweepRun, checksum string, to streams) error {
	if r.done(checksum) != nil {
		return nil
	}
	r.train.Threads = s.Threads
	if s.Threads > 0 {
		runtime.GOMAXPROCS(int(s.Threads))
	}
	fmt.Fprintf(to.stdout, "training %d: %s\n", r.number, r)
	err := r.train.run(ctx, to.stdout, to.stderr)
	if err != nil && !errors.Is(err, adapter.ErrNotImproved) {
		return err
	}
	return errors.Join(err, r.eval.run(to.stdout, to.stderr)) // the table has a row of what did not improve
}

// doAll runs all remaining trainings, each in a process of its own.
func (s Sweep) doAll(ctx context.Context, runs []sweepRun, checksum string, stdout io.Writer) (failed int, err error) {
	jobs := max(1, int(s.Jobs))
	threads := int(s.Threads)
	if threads == 0 {
		threads = max(1, runtime.NumCPU()/jobs)
	}
	var commands [][]string
	for _, r := range runs {
		if r.done(checksum) == nil {
			commands = append(commands, []string{"sweep", s.Plan, "--out=" + s.Out, "--embeddings=" + s.Embeddings, "--threads=" + strconv.Itoa(threads),
				"--task=" + strconv.Itoa(r.number)})
		}
	}
	fmt.Fprintf(stdout, "%d trainings, %d of them done\n", len(runs), len(runs)-len(commands))
	return process.RunChildren(ctx, commands, jobs, stdout)
}

// leftOver returns the numbers of the trainings without a result, with ranges such as 0-3.
func leftOver(runs []sweepRun, checksum string) string {
	var parts []string
	for at := 0; at < len(runs); at++ {
		from := at
		for at < len(runs) && runs[at].done(checksum) == nil {
			at++
		}
		switch at - from {
		case 0:
		case 1:
			parts = append(parts, strconv.Itoa(from))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", from, at-1))
		}
	}
	return strings.Join(parts, ",")
}
