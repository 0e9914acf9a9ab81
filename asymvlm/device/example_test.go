package device_test

import (
	"fmt"

	"gosphere/asymvlm/device"
)

// A linear layer with a rectifier on two CPU cores. Weights are out×in.
func ExampleCPU() {
	cpu := device.NewCPU(2)
	defer cpu.Close()

	input := device.Matrix[float32]{Rows: 1, Columns: 2, Values: []float32{3, 4}}
	weight := device.Matrix[float32]{Rows: 3, Columns: 2, Values: []float32{1, 0, 0, 1, -1, -1}}
	output := device.NewMatrix[float32](1, 3)
	cpu.Affine(output, input, weight, device.Bias[float32]{Values: []float32{0.5, 0.5, 0.5}, Rectify: true})
	fmt.Println(output.Values)
	// Output: [3.5 4.5 0]
}

func ExampleSoftmax() {
	logits := []float32{1, 2, 3}
	device.Softmax(logits, 1)
	fmt.Printf("%.3f\n", logits)
	// Output: [0.090 0.245 0.665]
}
