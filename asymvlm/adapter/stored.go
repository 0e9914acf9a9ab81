package adapter

import (
	"fmt"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/retrieval"
)

// A streamed is the gallery of a set whose rows are in files. Rows pass through the networks when
// their scores are computed; only the uncertainties of all rows are kept in memory.
type streamed struct {
	adapter     *Adapter
	rows        [2]*embedding.Stored // by nn.Side
	uncertainty [2][]float64         // of the rows read so far, by nn.Side; nil if the method has none
}

// placed returns a set with its rows in memory if the method needs all of them together: for the
// encoders' last layers, or for uncertainties computed from pairs.
func (a *Adapter) placed(set *embedding.Set) (*embedding.Set, error) {
	if set == nil || !set.IsStored() || !a.onLayers() && (a.learner == nil || !a.learner.ComparesRows()) {
		return set, nil
	}
	loaded, err := set.Load()
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	return loaded, nil
}

// rankStored ranks a set whose rows are in files.
func (a *Adapter) rankStored(set *embedding.Set, depth int) (*retrieval.Ranking, *streamed, error) {
	sides := set.Sides()
	s := &streamed{adapter: a, rows: [2]*embedding.Stored{nn.Images: sides[0], nn.Texts: sides[1]}}
	for side, rows := range s.rows {
		if rows.Columns != a.shape.Dimension {
			return nil, nil, fmt.Errorf("adapter: %ss have %d columns, %s was trained on %d", sideNames[side], rows.Columns, a.Method(), a.shape.Dimension)
		}
	}
	ranking, err := retrieval.RankStream(s, retrieval.RelevanceOf(set), depth)
	return ranking, s, err
}

// evaluateStored is like Evaluate for a set whose rows are in files.
func (a *Adapter) evaluateStored(set *embedding.Set, levels int) (*retrieval.Report, error) {
	ranking, s, err := a.rankStored(set, rankDepth)
	if err != nil {
		return nil, err
	}
	best := nn.Retrieved{ImageOfText: ranking.TextToImage.Tops(), TextOfImage: ranking.ImageToText.RowTops()}
	images, texts := nn.Representation{Uncertainty: s.uncertainty[nn.Images]}, nn.Representation{Uncertainty: s.uncertainty[nn.Texts]}
	ofTexts, ofImages := a.method.Queries(a.learner, best, images, texts)
	if asksPosterior(a) {
		if ofImages, err = posteriorEntropies(a, set); err != nil {
			return nil, err
		}
	}
	if ofTexts != nil {
		return ranking.ReportQueries(ofTexts, ranking.ImageToText.OfQueries(ofImages), levels)
	}
	lengths, err := s.rows[nn.Texts].Norms()
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	for i := range lengths {
		lengths[i] = -lengths[i] // as shortness
	}
	return ranking.Report(lengths, levels)
}

// Size returns the number of images and the number of texts.
func (s *streamed) Size() (images, texts int) { return s.rows[nn.Images].Rows, s.rows[nn.Texts].Rows }

// represent passes some rows of one side through the networks and appends the uncertainties of rows
// that are new.
func (s *streamed) represent(side nn.Side, from, to int) (nn.Representation, error) {
	m := embedding.NewMatrix(to-from, s.rows[side].Columns)
	if err := s.rows[side].Read(m, from); err != nil {
		return nn.Representation{}, fmt.Errorf("adapter: %w", err)
	}
	r, err := candidates(s.adapter, side, m)
	if r.Uncertainty != nil && len(s.uncertainty[side]) == from {
		s.uncertainty[side] = append(s.uncertainty[side], r.Uncertainty...)
	}
	return r, err
}

// Part passes some texts through the networks.
func (s *streamed) Part(from, to int) (retrieval.Scores, error) {
	texts, err := s.represent(nn.Texts, from, to)
	return streamedPart{s, texts}, err
}

// A streamedPart is a gallery restricted to some texts.
type streamedPart struct {
	*streamed
	texts nn.Representation
}

// Size returns the number of images and the number of texts in the part.
func (p streamedPart) Size() (images, texts int) { return p.rows[nn.Images].Rows, p.texts.Rows.Rows }

// ReadRows computes the scores of some images with the texts of the part.
func (p streamedPart) ReadRows(dst embedding.Matrix, from int) (err error) {
	defer device.CatchDeviceError(&err)
	images, err := p.represent(nn.Images, from, from+dst.Rows)
	if err != nil {
		return err
	}
	score(p.adapter, nn.Matrix(dst), images, p.texts)
	return nil
}
