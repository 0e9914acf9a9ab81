package device

// places returns the number of float32 slots of a packed panel that hold the given number of values
// along the inner dimension.
func (o operand) places(values int) int {
	if o.paired {
		return (values + 1) / 2
	}
	return values
}

// A piece is a part of an operand's values: valid values along the long side from first, and depth
// values along the inner dimension from start.
type piece struct{ first, valid, start, depth int }

// packPairs copies adjacent panels of a block as pairs. If the operand is not along, it copies a
// few rows for all panels before the next, as packBeside does.
func (o operand) packPairs(dst []float32, from, to, start int, unit vectorUnit) {
	long, inner := o.sizes()
	depth, step := min(innerBlock, inner-start), innerBlock
	if !o.along {
		step = 16
	}
	for at := 0; at < depth; at += step {
		for panel := from; panel < to; panel++ {
			first := panel * o.width
			p := piece{first, min(o.width, long-first), start + at, min(step, depth-at)}
			place := ((panel-from)*o.places(depth) + o.places(at)) * o.width
			block := dst[place : place+o.places(p.depth)*o.width]
			if p.valid < o.width {
				clear(block)
			}
			if o.along {
				o.packPairRows(block, p, unit)
			} else {
				o.packPairColumns(block, p, unit)
			}
		}
	}
	if len(o.sums) == 0 {
		return
	}
	// Sums use the unrounded values and are added row by row, as in float32.
	first, last := from*o.width, min(to*o.width, long)
	for k := start; k < start+depth; k++ {
		unit.add(o.sums[first:last], o.matrix.Row(k)[first:last])
	}
}

// packPairColumns copies columns of the operand into a block.
func (o operand) packPairColumns(block []float32, p piece, unit vectorUnit) {
	columns, pair := o.matrix.Columns, 0
	from := o.matrix.Values[p.start*columns+p.first:]
	if unit.fma && p.valid == o.width && p.depth > 1 {
		pair = p.depth / 2
		copyPairs(o.width, &block[0], &from[0], columns, pair)
	}
	for ; 2*pair < p.depth; pair++ {
		row := from[2*pair*columns:]
		for j, value := range row[:p.valid] {
			second := float32(0)
			if 2*pair+1 < p.depth {
				second = row[columns+j]
			}
			block[pair*o.width+j] = pairOf(value, second)
		}
	}
}

// packPairRows transposes rows of the operand into a block, four rows per call if the CPU has the
// instructions.
func (o operand) packPairRows(block []float32, p piece, unit vectorUnit) {
	columns, sixteens := o.matrix.Columns, 0
	if unit.fma {
		sixteens = p.depth / 16
	}
	for row := range p.valid {
		from := o.matrix.Values[(p.first+row)*columns+p.start:]
		done := 0
		if sixteens > 0 && row < p.valid&^3 {
			done = 16 * sixteens
			if row%4 == 0 {
				transposePairsAVX2(&block[row], o.width, &from[0], columns, sixteens)
			}
		}
		for k := done; k < p.depth; k += 2 {
			second := float32(0)
			if k+1 < p.depth {
				second = from[k+1]
			}
			block[k/2*o.width+row] = pairOf(from[k], second)
		}
	}
}

// copyPairs copies pairs of full rows of a panel.
func copyPairs(width int, dst, src *float32, stride, pairs int) {
	switch width {
	case 4:
		copyPairs4AVX2(dst, src, stride, pairs)
	case 12:
		copyPairs12AVX2(dst, src, stride, pairs)
	case 16:
		copyPairs16AVX2(dst, src, stride, pairs)
	case 32:
		copyPairs32AVX2(dst, src, stride, pairs)
	default:
		panic("device: no copy for panels of this width")
	}
}
