package baseline

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// A Method is the ID of an uncertainty without training, in tables and results.
type Method string

// The methods; the documentation of the package defines them.
const (
	Norm          Method = "norm"
	MaxCosine     Method = "max-cosine"
	Margin        Method = "margin"
	Entropy       Method = "entropy"
	CaptionLength Method = "caption-length"
	LogSumExp     Method = "log-sum-exp"
)

// Methods returns the methods of Evaluate and of the tables of commands: all except LogSumExp.
func Methods() []Method { return []Method{Norm, MaxCosine, Margin, Entropy, CaptionLength} }

// AllMethods returns Methods and LogSumExp, the methods of Compare. At CLIP's temperature the order
// of LogSumExp is nearly that of MaxCosine; it is listed because the uncertainty of evidential
// methods is a function of it.
func AllMethods() []Method { return append(Methods(), LogSumExp) }

// Is reports whether an ID is that of a method of this package.
func Is(id string) bool { return slices.Contains(AllMethods(), Method(id)) }

// Scale is the inverse temperature of Entropy if none is given: that of the trained CLIP models.
// SigLIP's are between 110 and 120.
const Scale = 100

// depth is the list length of the rankings, for Recall@10.
const depth = 10

// A Row is the measures of one method.
type Row struct {
	Method Method
	Report *retrieval.Report
}

// Rows are the measures of all methods that a set has the data for. A set without captions has no
// CaptionLength.
type Rows []Row

// Evaluate measures the methods on a set by levels of uncertainty, with Scale. It returns the
// errors of EvaluateAt.
func Evaluate(set *embedding.Set, levels int) (Rows, error) { return EvaluateAt(set, levels, Scale) }

// EvaluateAt is like Evaluate with the given inverse temperature of Entropy. The rows of the set
// may be in files. Errors are sets that fail Check, fewer than two images or texts, rows of norm 0,
// levels that would be empty, and a scale that is not finite and positive.
func EvaluateAt(set *embedding.Set, levels int, scale float64) (Rows, error) {
	q, err := QueriesOf(set, scale)
	if err != nil {
		return nil, err
	}
	return q.report(Methods(), levels)
}

// report measures methods.
func (q *Queries) report(methods []Method, levels int) (rows Rows, err error) {
	for _, m := range methods {
		texts, images := q.Uncertainties(m)
		if texts == nil {
			continue
		}
		report, err := q.Ranking.ReportQueries(texts, images, levels)
		if err != nil {
			return nil, fmt.Errorf("baseline: %s: %w", m, err)
		}
		rows = append(rows, Row{m, report})
	}
	return rows, nil
}

// EvaluateFolds measures the methods on each fold of set.Folds and pools the reports, as
// adapter.CrossValidate does for trained methods. It returns the errors of Folds and Evaluate.
func EvaluateFolds(set *embedding.Set, folds, levels int) (Rows, error) {
	return EvaluateFoldsAt(set, folds, levels, Scale)
}

// EvaluateFoldsAt is like EvaluateFolds with the given inverse temperature of Entropy. It returns
// the errors of Folds and EvaluateAt.
func EvaluateFoldsAt(set *embedding.Set, folds, levels int, scale float64) (Rows, error) {
	_, parts, err := set.Folds(folds)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	reports := map[Method][]*retrieval.Report{}
	for fold, part := range parts {
		rows, err := EvaluateAt(part, levels, scale)
		if err != nil {
			return nil, fmt.Errorf("baseline: fold %d of %d: %w", fold+1, folds, err)
		}
		for _, row := range rows {
			reports[row.Method] = append(reports[row.Method], row.Report)
		}
	}
	var rows Rows
	for _, m := range Methods() {
		if len(reports[m]) < folds {
			continue
		}
		pooled, err := retrieval.Pool(reports[m])
		if err != nil {
			return nil, fmt.Errorf("baseline: %s: %w", m, err)
		}
		rows = append(rows, Row{m, pooled})
	}
	return rows, nil
}

// Queries are the quantities of the texts and images of a set as queries from which the methods
// compute uncertainties.
type Queries struct {
	Ranking               *retrieval.Ranking // by the cosines, 10 items deep
	Texts, Images         *retrieval.Sharpness
	TextNorms, ImageNorms []float64 // of the raw embeddings
	CaptionLengths        []int     // in characters; nil if the set has no captions
}

// QueriesOf computes the quantities in one pass over the cosines, at the given inverse temperature.
// It returns the errors of EvaluateAt, except those of levels.
func QueriesOf(set *embedding.Set, scale float64) (*Queries, error) {
	if err := set.Check(); err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	sides := set.Sides()
	stream, err := retrieval.CosineStream(sides[0], sides[1])
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	q := &Queries{}
	if q.Ranking, q.Texts, q.Images, err = retrieval.RankSharp(stream, retrieval.RelevanceOf(set), depth, scale); err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	if q.ImageNorms, err = sides[0].Norms(); err == nil {
		q.TextNorms, err = sides[1].Norms()
	}
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	for _, caption := range set.Captions {
		q.CaptionLengths = append(q.CaptionLengths, utf8.RuneCountInString(caption))
	}
	return q, nil
}

// Uncertainties returns the uncertainty of each text and of each image with texts by a method,
// larger for less certain queries. Both are nil for CaptionLength without captions. An unknown
// method panics.
func (q *Queries) Uncertainties(m Method) (texts, images []float64) {
	switch m {
	case Norm:
		texts, images = negative(q.TextNorms), negative(q.ImageNorms)
	case MaxCosine:
		texts, images = negative(q.Texts.Best), negative(q.Images.Best)
	case Margin:
		texts, images = margins(q.Texts), margins(q.Images)
	case Entropy:
		texts, images = slices.Clone(q.Texts.Entropy), slices.Clone(q.Images.Entropy)
	case LogSumExp:
		texts, images = negative(q.Texts.LogSumExp), negative(q.Images.LogSumExp)
	case CaptionLength:
		return q.lengths()
	default:
		panic(fmt.Sprintf("baseline: method %q, want one of %q", m, AllMethods()))
	}
	return texts, q.Ranking.ImageToText.OfQueries(images)
}

// lengths returns minus the lengths of the captions, and for each image with texts that of its best
// caption.
func (q *Queries) lengths() (texts, images []float64) {
	if q.CaptionLengths == nil {
		return nil, nil
	}
	for _, length := range q.CaptionLengths {
		texts = append(texts, -float64(length))
	}
	for _, text := range q.Ranking.ImageToText.Tops() {
		images = append(images, texts[text])
	}
	return texts, images
}

// negative returns the values with the other sign.
func negative(values []float64) []float64 {
	list := make([]float64, len(values))
	for i, x := range values {
		list[i] = -x
	}
	return list
}

// margins returns minus the differences of the two largest scores.
func margins(s *retrieval.Sharpness) []float64 {
	list := make([]float64, len(s.Best))
	for i, best := range s.Best {
		list[i] = s.Second[i] - best
	}
	return list
}

// TextToImage returns the row with the smallest AURC of texts as queries, the first of several. It
// panics if there are no rows.
func (r Rows) TextToImage() Row {
	return r.best(func(report *retrieval.Report) float64 { return report.TextToImage.AURC })
}

// ImageToText returns the row with the smallest AURC of images as queries, the first of several. It
// panics if there are no rows.
func (r Rows) ImageToText() Row {
	return r.best(func(report *retrieval.Report) float64 { return report.ImageToText.AURC })
}

// best returns the row with the smallest measure.
func (r Rows) best(measure func(*retrieval.Report) float64) Row {
	best := r[0]
	for _, row := range r[1:] {
		if measure(row.Report) < measure(best.Report) {
			best = row
		}
	}
	return best
}

// Of returns the row of a method and whether there is one.
func (r Rows) Of(m Method) (Row, bool) {
	if i := slices.IndexFunc(r, func(row Row) bool { return row.Method == m }); i >= 0 {
		return r[i], true
	}
	return Row{}, false
}

// String formats the rows as a table. The recall is the same in all of them.
func (r Rows) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%-14s %31s   %31s\n%-14s", "no training", "text to image", "image to text", "")
	for i := range 2 {
		if i > 0 {
			text.WriteString("  ")
		}
		fmt.Fprintf(&text, " %6s %7s %7s %7s", "R@1", "S", "−SR²", "AURC")
	}
	text.WriteString("\n")
	for _, row := range r {
		fmt.Fprintf(&text, "%-14s", row.Method)
		for i, d := range []retrieval.Direction{row.Report.TextToImage, row.Report.ImageToText} {
			if i > 0 {
				text.WriteString("  ")
			}
			fmt.Fprintf(&text, " %6.3f %7s %7s %7.4f", d.Recall1, retrieval.Decimal(d.S, 3), retrieval.Decimal(d.MinusSR2, 3), d.AURC)
		}
		text.WriteString("\n")
	}
	return text.String()
}
