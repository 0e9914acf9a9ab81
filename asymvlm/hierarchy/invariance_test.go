package hierarchy

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gosphere/asymvlm/gaussian"
)

// drawn returns chains with random directions. Rows share images, and a third of the rows have the
// general captions of the previous row.
func drawn(seed uint64, rows, levels, images, width int) (c Chains, ofImages, ofTexts [][]float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	vector := func() []float64 {
		v := make([]float64, width)
		for j := range v {
			v[j] = r.NormFloat64()
		}
		return v
	}
	c = Chains{Levels: levels, Root: vector()}
	for image := range images {
		c.Images, ofImages = append(c.Images, vector()), append(ofImages, vector())
		c.RowImages = append(c.RowImages, image)
	}
	for row := images; row < rows; row++ {
		c.RowImages = append(c.RowImages, r.IntN(images))
	}
	for row := range rows {
		for level := range levels {
			v, logVariance, id := vector(), vector(), row*levels+level
			if above := id - levels; row%3 == 1 && level < levels-1 {
				v, logVariance, id = slices.Clone(c.Texts[above]), slices.Clone(ofTexts[above]), c.TextIDs[above]
			}
			c.Texts, ofTexts, c.TextIDs = append(c.Texts, v), append(ofTexts, logVariance), append(c.TextIDs, id)
		}
	}
	return c, ofImages, ofTexts
}

// cosine returns the cosine of vectors of any norm.
func cosine(a, b []float64) float64 { return dot(a, b) / math.Sqrt(dot(a, a)*dot(b, b)) }

// TestRadiusIsWhatItsDefinitionSays sorts the texts by their cosine with the image and takes the
// first one inside each threshold, with radii from the law of cosines.
func TestRadiusIsWhatItsDefinitionSays(t *testing.T) {
	for seed := range uint64(5) {
		c, _, _ := drawn(seed, 9, 4, 6, 5)
		m, err := c.Radius()
		if err != nil {
			t.Fatal(err)
		}
		radius := make([]float64, len(c.Texts))
		for text, v := range c.Texts {
			radius[text] = math.Sqrt(2 - 2*cosine(v, c.Root))
		}
		for image, x := range c.Images {
			nearest := make([]int, len(c.Texts))
			for text := range nearest {
				nearest[text] = text
			}
			slices.SortStableFunc(nearest, func(a, b int) int { return int(sign(cosine(c.Texts[b], x) - cosine(c.Texts[a], x))) })
			predicted := map[int]bool{}
			for _, threshold := range m.Thresholds {
				first := slices.IndexFunc(nearest, func(text int) bool { return radius[text] <= threshold+1e-12 })
				predicted[c.TextIDs[nearest[first]]] = true
			}
			own, found := map[int]bool{}, make([]bool, c.Levels)
			for row, of := range c.RowImages {
				for level, id := range c.TextIDs[row*c.Levels : (row+1)*c.Levels] {
					if of == image && predicted[id] {
						own[id], found[level] = true, true
					}
				}
			}
			levels := 0
			for _, f := range found {
				if f {
					levels++
				}
			}
			precision, recall := float64(len(own))/float64(len(predicted)), float64(levels)/float64(c.Levels)
			if m.ImagePrecision[image] != precision || m.ImageRecall[image] != recall || m.Predicted[image] != len(predicted) {
				t.Errorf("seed %d, image %d: precision %g, recall %g, %d texts; want %g, %g, %d", seed, image,
					m.ImagePrecision[image], m.ImageRecall[image], m.Predicted[image], precision, recall, len(predicted))
			}
		}
	}
}

// TestTheWalkIsWhatItsDefinitionSays computes the points themselves as unit vectors, where Traverse
// combines inner products.
func TestTheWalkIsWhatItsDefinitionSays(t *testing.T) {
	for seed := range uint64(5) {
		c, ofImages, ofTexts := drawn(seed, 7, 3, 4, 6)
		walk, err := c.Traverse(gaussian.Official, ofImages, ofTexts)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := c.prepare()
		nearest := func(point []float64) int {
			best := 0
			for text, v := range c.Texts {
				if cosine(v, point) > cosine(c.Texts[best], point)+1e-13 {
					best = text
				}
			}
			return best
		}
		for row, image := range c.RowImages {
			start, root := nearest(c.Images[image]), walk.Roots[row]
			for text, inside := range walk.Inclusion[row] {
				if inside > walk.Inclusion[row][root] {
					t.Errorf("seed %d, row %d: text %d contains the image more than the root %d", seed, row, text, root)
				}
			}
			end, point, predicted := make([]float64, 6), make([]float64, 6), map[int]bool{}
			for j := range end {
				end[j] = p.Texts[root][j] + p.Root[j]
			}
			length := math.Sqrt(dot(end, end))
			for i := range 50 {
				for j := range point {
					point[j] = p.Texts[start][j] - float64(i)/50*(p.Texts[start][j]-end[j]/length)
				}
				predicted[c.TextIDs[nearest(point)]] = true
			}
			own := c.TextIDs[row*3 : row*3+3]
			hits := 0
			for _, id := range own {
				if predicted[id] {
					hits++
				}
			}
			if walk.Starts[row] != start || walk.RowRecall[row] != float64(hits)/3 || walk.RowPrecision[row] != float64(hits)/float64(len(predicted)) {
				t.Errorf("seed %d, row %d: from %d, precision %g, recall %g; want from %d, %d of %d", seed, row, walk.Starts[row],
					walk.RowPrecision[row], walk.RowRecall[row], start, hits, len(predicted))
			}
		}
	}
}

// rotation returns a random orthogonal matrix.
func rotation(width int) *mat.Dense {
	r := rand.New(rand.NewPCG(8, 8))
	m := mat.NewDense(width, width, nil)
	for i := range width {
		for j := range width {
			m.Set(i, j, r.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(m)
	var q mat.Dense
	qr.QTo(&q)
	return &q
}

func TestRadiusDependsOnAnglesOnly(t *testing.T) {
	c, _, _ := drawn(1, 9, 4, 6, 5)
	want, err := c.Radius()
	if err != nil {
		t.Fatal(err)
	}
	turned, q := c, rotation(5)
	turn := func(vectors [][]float64, scale float64) (result [][]float64) {
		for _, v := range vectors {
			var product mat.VecDense
			product.MulVec(q, mat.NewVecDense(5, v))
			product.ScaleVec(scale, &product)
			result = append(result, product.RawVector().Data)
		}
		return result
	}
	// The scales differ widely: norms of CLIP's embeddings are near 10, those of unit vectors are
	// 1.
	turned.Texts, turned.Images, turned.Root = turn(c.Texts, 1e-3), turn(c.Images, 1e6), turn([][]float64{c.Root}, 40)[0]
	got, err := turned.Radius()
	if err != nil {
		t.Fatal(err)
	}
	if got.Precision != want.Precision || got.Recall != want.Recall || got.Order != want.Order || !slices.Equal(got.Predicted, want.Predicted) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for i, threshold := range want.Thresholds {
		if math.Abs(got.Thresholds[i]-threshold) > 1e-13 {
			t.Errorf("threshold %d: %g, want %g", i, got.Thresholds[i], threshold)
		}
	}
}

// TestTheOrderOfRowsAndCoordinatesIsOfNoMatter reverses the rows and the coordinates. Variances
// belong to coordinates, so only permutations and changes of sign preserve the walk, not other
// rotations.
func TestTheOrderOfRowsAndCoordinatesIsOfNoMatter(t *testing.T) {
	c, ofImages, ofTexts := drawn(2, 8, 3, 5, 6)
	metrics, err := c.Radius()
	if err != nil {
		t.Fatal(err)
	}
	walk, err := c.Traverse(gaussian.Exact, ofImages, ofTexts)
	if err != nil {
		t.Fatal(err)
	}
	back := Chains{Levels: c.Levels, Root: c.Root, Images: c.Images}
	var backTexts [][]float64
	for row := len(c.RowImages) - 1; row >= 0; row-- {
		from, to := row*c.Levels, (row+1)*c.Levels
		back.RowImages = append(back.RowImages, c.RowImages[row])
		back.Texts, back.TextIDs = append(back.Texts, c.Texts[from:to]...), append(back.TextIDs, c.TextIDs[from:to]...)
		backTexts = append(backTexts, ofTexts[from:to]...)
	}
	mirror := func(vectors [][]float64, factor float64) (result [][]float64) {
		for _, v := range vectors {
			v = slices.Clone(v)
			slices.Reverse(v)
			v[0] *= factor
			result = append(result, v)
		}
		return result
	}
	back.Texts, back.Images, back.Root = mirror(back.Texts, -1), mirror(back.Images, -1), mirror([][]float64{back.Root}, -1)[0]
	again, err := back.Radius()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.ImagePrecision, metrics.ImagePrecision) || !slices.Equal(again.ImageRecall, metrics.ImageRecall) {
		t.Errorf("precision %v and recall %v, want %v and %v", again.ImagePrecision, again.ImageRecall, metrics.ImagePrecision, metrics.ImageRecall)
	}
	other, err := back.Traverse(gaussian.Exact, mirror(ofImages, 1), mirror(backTexts, 1))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(other.RowPrecision)
	slices.Reverse(other.RowRecall)
	slices.Reverse(other.RowHit)
	if !slices.Equal(other.RowPrecision, walk.RowPrecision) || !slices.Equal(other.RowRecall, walk.RowRecall) || !slices.Equal(other.RowHit, walk.RowHit) {
		t.Errorf("walk %+v, want %+v", other, walk)
	}
}

func TestMeasuringChangesNothingAndRepeats(t *testing.T) {
	c, ofImages, ofTexts := drawn(3, 5, 3, 4, 4)
	same, _, _ := drawn(3, 5, 3, 4, 4)
	first, err := c.Radius()
	if err != nil {
		t.Fatal(err)
	}
	walk, err := c.Traverse(gaussian.Exact, ofImages, ofTexts)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, same) {
		t.Error("the chains were changed")
	}
	second, _ := c.Radius()
	again, _ := c.Traverse(gaussian.Exact, ofImages, ofTexts)
	if !reflect.DeepEqual(first, second) || !reflect.DeepEqual(walk, again) {
		t.Error("another result for the same chains")
	}
}
