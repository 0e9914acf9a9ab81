package adapter

// A History records values of every training step, computed before its parameter update. The slices
// have equal length.
type History struct {
	Loss              []float64 // mean over the batch's pairs, in nats if it is a cross-entropy
	Temperature       []float64 // τ, or another factor on the similarities; 1 if there is none
	MeanConcentration []float64 // of the batch's texts, see nn.StepResult
	LearningRate      []float64
	StepsPerEpoch     int // including a short last batch
}

// Steps returns the number of steps done.
func (h *History) Steps() int { return len(h.Loss) }

// reserve allocates capacity for a number of steps.
func (h *History) reserve(steps int) {
	for _, values := range h.parts() {
		*values = append(make([]float64, 0, steps), *values...)
	}
}

// parts returns the slices in the order of partNames.
func (h *History) parts() []*[]float64 {
	return []*[]float64{&h.Loss, &h.Temperature, &h.MeanConcentration, &h.LearningRate}
}

var partNames = []string{"loss", "temperature", "mean_concentration", "learning_rate"}

func (h *History) add(u Update) {
	h.Loss = append(h.Loss, u.Loss)
	h.Temperature = append(h.Temperature, u.Temperature)
	h.MeanConcentration = append(h.MeanConcentration, u.MeanConcentration)
	h.LearningRate = append(h.LearningRate, u.LearningRate)
}

// Epochs returns the mean of a slice of the history over each epoch. The last epoch may be
// incomplete.
func (h *History) Epochs(values []float64) []float64 {
	var means []float64
	for from := 0; from < len(values) && h.StepsPerEpoch > 0; from += h.StepsPerEpoch {
		sum, to := 0.0, min(from+h.StepsPerEpoch, len(values))
		for _, value := range values[from:to] {
			sum += value
		}
		means = append(means, sum/float64(to-from))
	}
	return means
}
