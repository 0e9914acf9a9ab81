package main

// lossProgram declares the hinge loss of the documentation of package custom and a batch of 512
// pairs.
const lossProgram = `var pairs = func() *custom.Batch {
	b := custom.NewBatch(512, 1, 1)
	b.Numbers[0] = 0.2
	for s, row := range b.LogLikelihoods {
		for r := range row {
			row[r] = float64((s*7+r*13)%101) / 101
		}
	}
	return b
}()
func hinge(b *custom.Batch) (loss float64) {
	for s, row := range b.LogLikelihoods {
		for r, ell := range row {
			if lack := b.Numbers[0] + ell - row[s]; r != s && lack > 0 {
				loss += lack
				b.DLogLikelihoods[s][r]++
				b.DLogLikelihoods[s][s]--
				b.DNumbers[0]++
			}
		}
	}
	return loss
}
`

const tables = `const width = 256
var table = embedding.NewMatrix(width, width)
var nested = make([][]float32, width)
func init() {
	for i := range nested {
		nested[i] = make([]float32, width)
		for j := range nested[i] {
			nested[i][j] = float32((i*3 + j) % 17)
			table.Set(i, j, nested[i][j])
		}
	}
}
`

const tableOfPython = "    table = [[(i * 3 + j) % 17 + 0.0 for j in range(256)] for i in range(256)]\n"

// laboratory are loops over the data of the laboratory's packages, measured like operations. In
// CPython, matrices are lists of lists, and their construction counts.
var laboratory = []program{
	{"element of [][]float32", tables, "s := float32(0); for i := 0; i < width; i++ { for j := 0; j < width; j++ { s += nested[i][j] } }; return int(s)",
		tableOfPython + "    s = 0.0\n    for i in range(256):\n        for j in range(256):\n            s += table[i][j]\n", 65_536},
	{"element of a row of [][]float32", tables, "s := float32(0); for _, row := range nested { for _, v := range row { s += v } }; return int(s)",
		tableOfPython + "    s = 0.0\n    for row in table:\n        for v in row:\n            s += v\n", 65_536},
	{"element of embedding.Matrix, At", tables, "s := float32(0); for i := 0; i < table.Rows; i++ { for j := 0; j < table.Columns; j++ { s += table.At(i, j) } }; return int(s)", "", 65_536},
	{"element of embedding.Matrix, Row", tables, "s := float32(0); for i := range table.Rows { for _, v := range table.Row(i) { s += v } }; return int(s)", "", 65_536},
	{"pair of a loss, batch of 512", lossProgram, "clear(pairs.DNumbers); return int(hinge(pairs))", "", 512 * 512},
}
