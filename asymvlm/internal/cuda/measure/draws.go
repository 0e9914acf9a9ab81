package main

import (
	"fmt"
	"io"
	"math"
	"time"

	"gosphere/asymvlm/device"
)

// compareDraws performs the same sampling on the GPU and on the CPU: unit vectors of both laws and
// means of softmax. If only one side rejects a proposal, the vector differs, so the comparison
// detects it.
func (p plan) compareDraws(w io.Writer, sides [2]device.Device) error {
	if p.late(w, "the draws") {
		return nil
	}
	fmt.Fprintf(w, "\n| draws | values | largest distance | GPU, ms | CPU, ms |\n|---|---|---|---|---|\n")
	draws := 1 + (1<<15)/(p.parityBatch*p.columns) // more than the CPU's share
	means, kappas := problem(p.parityBatch, p.parityBatch, p.columns).Anchors, make([]float32, p.parityBatch)
	for i := range kappas {
		row := means.Row(i)
		square := 0.0
		for _, value := range row {
			square += float64(value) * float64(value)
		}
		for k := range row {
			row[k] /= float32(math.Sqrt(square))
		}
		kappas[i] = float32(math.Pow(10, float64(i%7-2)))
	}
	from := device.Origin{Seed: 1<<40 + 11, Row: 3, Draw: 2}
	for _, law := range []device.Law{device.VonMisesFisher, device.PowerSpherical} {
		err := p.compareDraw(w, law.String(), sides, device.NewMatrix[float32](draws*p.parityBatch, p.columns),
			func(on device.Device, dst device.Matrix[float32]) error {
				return on.DrawSphere(dst, law, means, kappas, from)
			})
		if err != nil {
			return err
		}
	}
	data := problem(p.parityBatch, p.parityBatch, p.columns)
	logits := device.UncertainLogits[float32]{Means: data.Adapted, Deviations: data.Anchors, Scale: 5}
	for i, value := range logits.Deviations.Values {
		logits.Deviations.Values[i] = float32(math.Abs(float64(value)))
	}
	return p.compareDraw(w, fmt.Sprintf("means of softmax over %d", draws), sides, device.NewMatrix[float32](p.parityBatch, p.columns),
		func(on device.Device, dst device.Matrix[float32]) error {
			return on.MeanSoftmax(dst, logits, draws, from)
		})
}

// compareDraw performs one sampling operation on both sides, and prints the difference and the
// times; the GPU's include all transfers.
func (p plan) compareDraw(w io.Writer, what string, sides [2]device.Device, dst device.Matrix[float32],
	draw func(on device.Device, dst device.Matrix[float32]) error) error {
	var drawn [2]device.Matrix[float32]
	var took [2]float64
	for side, on := range sides {
		drawn[side] = device.NewMatrix[float32](dst.Rows, dst.Columns)
		for range 2 { // the first run loads the kernels
			start := time.Now()
			if err := draw(on, drawn[side]); err != nil {
				return err
			}
			took[side] = 1e3 * time.Since(start).Seconds()
		}
	}
	worst := 0.0
	for i, want := range drawn[1].Values {
		apart := math.Abs(float64(drawn[0].Values[i] - want))
		if p.tolerance > 0 && !(apart <= p.tolerance) {
			return fmt.Errorf("draws, %s: row %d, column %d is %g on the GPU and %g on the CPU", what, i/dst.Columns, i%dst.Columns, drawn[0].Values[i], want)
		}
		worst = math.Max(worst, apart)
	}
	_, err := fmt.Fprintf(w, "| %s | %d | %.2g | %.2f | %.2f |\n", what, len(dst.Values), worst, took[0], took[1])
	return err
}
