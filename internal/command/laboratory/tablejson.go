package laboratory

import "gonum.org/v1/gonum/stat"

// A measuredMethod is what table --json prints of a method.
type measuredMethod struct {
	Method   string          `json:"method"`
	Dataset  string          `json:"dataset"`
	MeanOf   []string        `json:"mean_of,omitempty"` // the test sets of a mean
	Seeds    []uint64        `json:"seeds"`
	Measures []measuredValue `json:"measures"`
}

// A measuredValue is one measure of a method. Numbers that are not finite are null.
type measuredValue struct {
	Direction string     `json:"direction,omitempty"`
	Measure   string     `json:"measure"`
	Mean      *float64   `json:"mean"`
	SD        *float64   `json:"sd"`     // of the population
	Values    []*float64 `json:"values"` // by seed
}

// measurements returns all measures of all methods on a test set.
func (s testSet) measurements() []measuredMethod {
	var list []measuredMethod
	for _, row := range s.rows {
		m := measuredMethod{Method: row.method, Dataset: row.runs[0].Dataset, MeanOf: s.of, Seeds: row.seeds}
		for _, c := range columns(s.rows) {
			value := measuredValue{Direction: c.direction, Measure: c.measure}
			var numbers []float64
			for _, run := range row.runs {
				numbers = append(numbers, c.of(run))
				value.Values = append(value.Values, finite(c.of(run)))
			}
			mean, sd := stat.PopMeanStdDev(numbers, nil)
			value.Mean, value.SD = finite(mean), finite(sd)
			m.Measures = append(m.Measures, value)
		}
		list = append(list, m)
	}
	return list
}
