// Package special computes special functions that densities on the sphere need and that neither
// Go's math package nor gonum provides: the modified Bessel function I_ν and the ratio I_{ν+1}/I_ν
// for orders in the hundreds, the digamma and trigamma functions, and differences of log-gamma and
// digamma values that keep their digits when the values nearly cancel. The package does not depend
// on any distribution; package sphere is its main user.
//
// Read debye.go first (the exact coefficients of the uniform expansion), then besseli.go (the
// evaluation), fraction.go (two independent algorithms for the same functions, used by tests) and
// gamma.go.
//
//	bessel := special.NewBesselI(255)      // the order of the von Mises–Fisher density in 512 dimensions
//	fmt.Println(bessel.Ratio(5))           // 0.0097647
//
// All functions return NaN outside their domain and are safe for concurrent use.
package special
