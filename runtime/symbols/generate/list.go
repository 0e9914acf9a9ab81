package main

// platforms are the targets that gosphere is built for, always without cgo. The
// first one is the reference: what is equal everywhere is written once, from it.
var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// The packages offered to cells are the whole standard library, as `go list std`
// gives it, without what omitted names, and the lists below. An empty table is right
// for packages that are imported for their effect, such as time/tzdata.

// omitted are public packages of the standard library that are left out.
var omitted = map[string]string{
	"plugin":       "needs cgo; without it every function only fails",
	"runtime/cgo":  "exists in cgo builds only",
	"runtime/race": "has no exported names and is for the race detector's own use",
}

// thirdParty are the packages of other modules.
var thirdParty = []string{
	"golang.org/x/image/draw",

	"gonum.org/v1/gonum/blas",
	"gonum.org/v1/gonum/blas/blas32",
	"gonum.org/v1/gonum/blas/blas64",
	"gonum.org/v1/gonum/cmplxs",
	"gonum.org/v1/gonum/diff/fd",
	"gonum.org/v1/gonum/dsp/fourier",
	"gonum.org/v1/gonum/dsp/window",
	"gonum.org/v1/gonum/floats",
	"gonum.org/v1/gonum/floats/scalar",
	"gonum.org/v1/gonum/graph",
	"gonum.org/v1/gonum/graph/community",
	"gonum.org/v1/gonum/graph/iterator",
	"gonum.org/v1/gonum/graph/multi",
	"gonum.org/v1/gonum/graph/network",
	"gonum.org/v1/gonum/graph/path",
	"gonum.org/v1/gonum/graph/simple",
	"gonum.org/v1/gonum/graph/topo",
	"gonum.org/v1/gonum/graph/traverse",
	"gonum.org/v1/gonum/integrate",
	"gonum.org/v1/gonum/integrate/quad",
	"gonum.org/v1/gonum/interp",
	"gonum.org/v1/gonum/lapack",
	"gonum.org/v1/gonum/lapack/lapack64",
	"gonum.org/v1/gonum/mat",
	"gonum.org/v1/gonum/mathext",
	"gonum.org/v1/gonum/mathext/prng",
	"gonum.org/v1/gonum/num/dual",
	"gonum.org/v1/gonum/num/hyperdual",
	"gonum.org/v1/gonum/num/quat",
	"gonum.org/v1/gonum/optimize",
	"gonum.org/v1/gonum/optimize/convex/lp",
	"gonum.org/v1/gonum/optimize/functions",
	"gonum.org/v1/gonum/spatial/curve",
	"gonum.org/v1/gonum/spatial/kdtree",
	"gonum.org/v1/gonum/spatial/r1",
	"gonum.org/v1/gonum/spatial/r2",
	"gonum.org/v1/gonum/spatial/r3",
	"gonum.org/v1/gonum/spatial/vptree",
	"gonum.org/v1/gonum/stat",
	"gonum.org/v1/gonum/stat/card",
	"gonum.org/v1/gonum/stat/combin",
	"gonum.org/v1/gonum/stat/distmat",
	"gonum.org/v1/gonum/stat/distmv",
	"gonum.org/v1/gonum/stat/distuv",
	"gonum.org/v1/gonum/stat/mds",
	"gonum.org/v1/gonum/stat/samplemv",
	"gonum.org/v1/gonum/stat/sampleuv",
	"gonum.org/v1/gonum/stat/spatial",
	"gonum.org/v1/gonum/unit",
	"gonum.org/v1/gonum/unit/constant",

	"gonum.org/v1/plot",
	"gonum.org/v1/plot/font",
	"gonum.org/v1/plot/font/liberation",
	"gonum.org/v1/plot/palette",
	"gonum.org/v1/plot/palette/brewer",
	"gonum.org/v1/plot/palette/moreland",
	"gonum.org/v1/plot/plotter",
	"gonum.org/v1/plot/plotutil",
	"gonum.org/v1/plot/text",
	"gonum.org/v1/plot/vg",
	"gonum.org/v1/plot/vg/draw",
	"gonum.org/v1/plot/vg/vgimg",
	"gonum.org/v1/plot/vg/vgpdf",
	"gonum.org/v1/plot/vg/vgsvg",

	"gorgonia.org/gorgonia",
	"gorgonia.org/tensor",
}

// own are the packages of this module that cells may import.
var own = []string{
	"gosphere/asymvlm/adapter",
	"gosphere/asymvlm/calibration",
	"gosphere/asymvlm/corruption",
	"gosphere/asymvlm/custom",
	"gosphere/asymvlm/dataset",
	"gosphere/asymvlm/device",
	"gosphere/asymvlm/embedding",
	"gosphere/asymvlm/evidence",
	"gosphere/asymvlm/export",
	"gosphere/asymvlm/gaussian",
	"gosphere/asymvlm/graph",
	"gosphere/asymvlm/hierarchy",
	"gosphere/asymvlm/laplace",
	"gosphere/asymvlm/nn",
	"gosphere/asymvlm/ood",
	"gosphere/asymvlm/published",
	"gosphere/asymvlm/retrieval",
	"gosphere/asymvlm/special",
	"gosphere/asymvlm/sphere",
	"gosphere/asymvlm/world",
	"gosphere/asymvlm/zeroshot",
	"gosphere/plotting/colormap",
	"gosphere/plotting/figure",
	"gosphere/runtime/comm",
	"gosphere/runtime/display",
	"gosphere/runtime/generic/erased",
	"gosphere/runtime/magic",
	"gosphere/runtime/widget",
}
