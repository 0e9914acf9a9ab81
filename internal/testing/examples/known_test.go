package examples

// known are the examples whose results differ in cells, each with the reason.
var known = map[string]string{
	"encoding/gob.Example_interface":                 twice,
	"golang.org/x/exp/slog.Example_wrapping":         callers,
	"gonum.org/v1/gonum/unit.ExampleNewDimension":    twice,
	"gorgonia.org/gorgonia.Example_linearRegression": random,
	"log.ExampleLogger":                              callers,
	"log.ExampleLogger_Output":                       callers,
	"log/slog.Example_wrapping":                      callers,
	"runtime.ExampleAddCleanup":                      endless,
	"runtime.ExampleFrames":                          callers,
}

const (
	twice   = "do what a process can do once, and are played twice"
	callers = "name the functions and files that have called"
	random  = "begin with random numbers"
	endless = "wait for a cleanup that runs after the cell, and are not played"
)
