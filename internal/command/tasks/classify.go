package tasks

import (
	"fmt"
	"io"
	"os"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/asymvlm/zeroshot"
)

// Classify is the subcommand that classifies images by prompts of classes.
type Classify struct {
	Task      string `arg:"" help:"Folder of the task, as gosphere embed writes it: image.npy, label.npy, prompt.npy, classes.json, and dummy.npy with texts for none of the above." type:"path"`
	Negatives string `help:"Folder of a task whose images belong to none of the classes. Measures their rejection by threshold, by margin and, with dummy.npy, by dummy texts." type:"path" placeholder:"FOLDER"`
	adapted
}

// Run classifies and prints the table.
func (c Classify) Run() error { return c.run(os.Stdout) }

// A scored is the scores of one adapter for the images of the classes and for the negatives.
type scored struct{ positives, negatives embedding.Matrix }

func (c Classify) run(stdout io.Writer) error {
	methods, err := c.methods()
	if err != nil {
		return err
	}
	task, err := zeroshot.ReadTask(c.Task)
	if err != nil {
		return err
	}
	if task.Labels == nil {
		return fmt.Errorf("%s has no labels and prompts, so its images cannot be classified; name it with --negatives", c.Task)
	}
	var negatives *zeroshot.Task
	if c.Negatives != "" {
		if negatives, err = zeroshot.ReadTask(c.Negatives); err != nil {
			return err
		}
	}
	prompts := fmt.Sprintf("%d prompts each", task.Templates)
	if task.Templates == 1 {
		prompts = "one prompt each"
	}
	t := &table{Task: fmt.Sprintf("%s: %d images of %d classes with %s.", task.Name, task.Images.Rows, task.ClassCount(), prompts),
		measures: []measure{{"accuracy", false, 3}}, notes: []string{intervalNote}}
	if negatives != nil {
		t.measures = append(t.measures, measure{byThreshold, false, 3}, measure{byMargin, false, 3})
		if task.Dummies.Rows > 0 {
			t.measures = append(t.measures, measure{byDummies, false, 3})
		}
		t.notes = append(t.notes, fmt.Sprintf("Rejection of %d images of %s: the rate at which as many images of the classes get their class as others are rejected.", negatives.Images.Rows, negatives.Name))
	}
	all := append([]scorers{{name: noAdapter, runs: []zeroshot.Scorer{cosines}}}, scorersOf(methods)...)
	for _, m := range all {
		var runs []scored
		for _, score := range m.runs {
			var s scored
			if s.positives, err = task.Scores(score, task); err == nil && negatives != nil {
				s.negatives, err = negatives.Scores(score, task)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			runs = append(runs, s)
		}
		measures, err := c.measure(task, runs, negatives != nil)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		t.add(m.name, len(runs), measures)
	}
	return t.write(c.adapted, stdout)
}

// The measures of none of the above.
const (
	byThreshold = "rejection by threshold"
	byMargin    = "by margin"
	byDummies   = "by dummies"
)

// scorers are the scores of the adapters of a method.
type scorers struct {
	name string
	runs []zeroshot.Scorer
}

func scorersOf(methods []trainedMethod) (list []scorers) {
	for _, m := range methods {
		s := scorers{name: m.name}
		for _, a := range m.runs {
			s.runs = append(s.runs, a.LogLikelihoods)
		}
		list = append(list, s)
	}
	return list
}

// noAdapter names the row of the embeddings as they are, which need not be those of CLIP.
const noAdapter = "no adapter"

// cosines scores by the cosine of the raw embeddings.
func cosines(images, texts embedding.Matrix) (embedding.Matrix, error) {
	scores, err := retrieval.Cosines(images, texts)
	if err != nil {
		return embedding.Matrix{}, err
	}
	return retrieval.Whole(scores)
}

// measure returns the measures of a method.
func (c Classify) measure(task *zeroshot.Task, runs []scored, rejects bool) (map[string]measured, error) {
	classes := task.ClassCount()
	hits := make([][]bool, len(runs))
	for run, s := range runs {
		predicted, err := zeroshot.Predict(columns(s.positives, classes))
		if err != nil {
			return nil, err
		}
		for image, class := range predicted {
			hits[run] = append(hits[run], class == task.Labels[image])
		}
	}
	measures := map[string]measured{}
	var err error
	measures["accuracy"], err = c.over([]retrieval.Groups{each(task.Images.Rows)}, len(runs), func(run int, rows [][]int) float64 {
		right := 0
		for _, image := range rows[0] {
			if hits[run][image] {
				right++
			}
		}
		return float64(right) / float64(len(rows[0]))
	})
	if err != nil || !rejects {
		return measures, err
	}
	for name, curve := range map[string]func(s scored, labels []int) (*zeroshot.Curve, error){
		byThreshold: func(s scored, labels []int) (*zeroshot.Curve, error) {
			return zeroshot.RejectByThreshold(columns(s.positives, classes), columns(s.negatives, classes), labels)
		},
		byMargin: func(s scored, labels []int) (*zeroshot.Curve, error) {
			return zeroshot.RejectByMargin(columns(s.positives, classes), columns(s.negatives, classes), labels)
		},
		byDummies: func(s scored, labels []int) (*zeroshot.Curve, error) {
			return zeroshot.RejectByDummies(s.positives, s.negatives, labels, task.Dummies.Rows)
		},
	} {
		if name == byDummies && task.Dummies.Rows == 0 {
			continue
		}
		if measures[name], err = c.balanced(task, runs, curve); err != nil {
			return nil, err
		}
	}
	return measures, nil
}

// balanced returns the balanced point of a curve, with its interval over the images of both kinds.
func (c Classify) balanced(task *zeroshot.Task, runs []scored, curve func(s scored, labels []int) (*zeroshot.Curve, error)) (measured, error) {
	var failed error
	m, err := c.over([]retrieval.Groups{each(task.Images.Rows), each(runs[0].negatives.Rows)}, len(runs), func(run int, rows [][]int) float64 {
		labels := make([]int, len(rows[0]))
		for i, image := range rows[0] {
			labels[i] = task.Labels[image]
		}
		points, err := curve(scored{chosen(runs[run].positives, rows[0]), chosen(runs[run].negatives, rows[1])}, labels)
		if err != nil {
			failed = err
			return 0
		}
		return points.Balanced().Positive
	})
	if failed != nil {
		return m, failed
	}
	return m, err
}

// chosen returns some rows of a matrix.
func chosen(m embedding.Matrix, rows []int) embedding.Matrix {
	part := embedding.NewMatrix(len(rows), m.Columns)
	for i, row := range rows {
		copy(part.Row(i), m.Row(row))
	}
	return part
}

// columns returns the first columns of a matrix.
func columns(m embedding.Matrix, n int) embedding.Matrix {
	if n == m.Columns {
		return m
	}
	part := embedding.NewMatrix(m.Rows, n)
	for i := range part.Rows {
		copy(part.Row(i), m.Row(i)[:n])
	}
	return part
}
