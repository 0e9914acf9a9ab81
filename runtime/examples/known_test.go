package examples

// known are the examples that are different as cells, each with the reason.
var known = map[string]string{
	"encoding/gob.Example_interface":                                     twice,
	"go/ast.ExamplePrint":                                                descriptor,
	"gonum.org/v1/gonum/graph.Example_implicit":                          unnamed,
	"gonum.org/v1/gonum/unit.ExampleNewDimension":                        twice,
	"gonum.org/v1/plot/vg/draw.ExampleCrop_splitHorizontal":              constants,
	"gonum.org/v1/plot/vg/draw.ExampleCrop_splitVertical":                constants,
	"gorgonia.org/gorgonia.ExampleBatchedMatMul":                         unnamed,
	"gorgonia.org/gorgonia.ExampleBatchedMatMul_withBackprop":            unnamed,
	"gorgonia.org/gorgonia.ExampleBroadcastAdd":                          unnamed,
	"gorgonia.org/gorgonia.ExampleBroadcastGte_creatingTriangleMatrices": unnamed,
	"gorgonia.org/gorgonia.ExampleConcat":                                unnamed,
	"gorgonia.org/gorgonia.ExampleDiagFlat":                              unnamed,
	"gorgonia.org/gorgonia.ExampleSoftMax":                               unnamed,
	"gorgonia.org/gorgonia.ExampleTensordot_vectors":                     unnamed,
	"gorgonia.org/gorgonia.ExampleUnconcat":                              unnamed,
	"gorgonia.org/gorgonia.Example_autodiff":                             unnamed,
	"gorgonia.org/gorgonia.Example_basic":                                unnamed,
	"gorgonia.org/gorgonia.Example_keepDims":                             unnamed,
	"gorgonia.org/gorgonia.Example_linearRegression":                     random,
	"gorgonia.org/gorgonia.Example_symbolicDiff":                         unnamed,
	"log.ExampleLogger":                                                  callers,
	"log.ExampleLogger_Output":                                           callers,
	"log/slog.Example_wrapping":                                          callers,
	"runtime.ExampleAddCleanup":                                          cleanup,
	"runtime.ExampleFrames":                                              callers,
}

const (
	twice      = "do what a process can do once, and are played twice"
	callers    = "name the functions and files that have called"
	random     = "begin with random numbers"
	descriptor = "print through compiled code that holds os.Stdout"
	unnamed    = "get values of compiled types that have no exported name"
	constants  = "call functions whose parameters take the place of untyped constants"
	cleanup    = "need runtime.AddCleanup"
)
