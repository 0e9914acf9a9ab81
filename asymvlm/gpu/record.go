//go:build gpu && linux

package gpu

import (
	"fmt"

	"github.com/ebitengine/purego"

	"gosphere/asymvlm/internal/cuda"
)

// graphs holds the driver's graph functions, which gorgonia.org/cu lacks.
type graphs struct {
	begin       func(stream uintptr, mode int32) int32
	end         func(stream uintptr, graph *uintptr) int32
	instantiate func(runnable *uintptr, graph uintptr, flags uint64) int32
	start       func(runnable, stream uintptr) int32
	forget      func(graph uintptr) int32
	release     func(runnable uintptr) int32
}

func openGraphs() (*graphs, error) {
	library, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	g := &graphs{}
	for name, function := range map[string]any{
		"cuStreamBeginCapture_v2": &g.begin, "cuStreamEndCapture": &g.end, "cuGraphInstantiateWithFlags": &g.instantiate,
		"cuGraphLaunch": &g.start, "cuGraphDestroy": &g.forget, "cuGraphExecDestroy": &g.release,
	} {
		symbol, err := purego.Dlsym(library, name)
		if err != nil {
			return nil, fmt.Errorf("the NVIDIA driver has no %s; update it", name)
		}
		purego.RegisterFunc(function, symbol)
	}
	return g, nil
}

// A graph is recorded stream work that can be replayed.
type graph struct {
	card     *card
	runnable uintptr
}

// Record captures parts as a graph.
func (c *card) Record(parts []cuda.Part) (cuda.Recording, error) {
	g := &graph{card: c}
	err := c.do(func() error {
		if err := c.warm(parts); err != nil {
			return err
		}
		captured, err := c.capture(parts)
		if err != nil {
			return err
		}
		err = c.graphs.check("instantiate", c.graphs.instantiate(&g.runnable, captured, 0))
		if forgotten := c.graphs.check("forget", c.graphs.forget(captured)); err == nil {
			err = forgotten
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

// warm makes the driver and cuBLAS load everything that parts need, because loading during a stream
// capture can end the capture. For matrix products the only way is to run them once.
func (c *card) warm(parts []cuda.Part) error {
	const aligned = 16              // bytes; cuBLAS uses other kernels for matrices with other alignment
	done := map[cuda.Product]bool{} // by shape, form and alignment
	for _, p := range parts {
		var kernel string
		switch {
		case p.Launch != nil:
			kernel = p.Launch.Kernel
		case c.blas == nil:
			kernel = p.Product.Launch().Kernel
		}
		if kernel != "" {
			if _, err := c.function(kernel); err != nil {
				return err
			}
			continue
		}
		shape := *p.Product
		shape.Dst, shape.A, shape.B = shape.Dst%aligned, shape.A%aligned, shape.B%aligned
		if done[shape] {
			continue
		}
		done[shape] = true
		if err := c.multiply(*p.Product); err != nil {
			return err
		}
	}
	return c.stream.Synchronize()
}

// capture captures parts from the stream and returns them as a graph. It ends the capture even if
// one of them fails.
func (c *card) capture(parts []cuda.Part) (captured uintptr, err error) {
	// CU_STREAM_CAPTURE_MODE_RELAXED: the stricter modes forbid calls that the driver and cuBLAS
	// may make during a launch.
	const relaxed = 2
	if err := c.graphs.check("begin", c.graphs.begin(c.handle(), relaxed)); err != nil {
		return 0, err
	}
	for _, p := range parts {
		if p.Product != nil {
			err = c.multiply(*p.Product)
		} else {
			err = c.launch(*p.Launch)
		}
		if err != nil {
			break
		}
	}
	ended := c.graphs.check("end", c.graphs.end(c.handle(), &captured))
	if err != nil && captured != 0 {
		_ = c.graphs.forget(captured) // the first error is more informative
	}
	if err == nil {
		err = ended
	}
	return captured, err
}

// Replay enqueues a recording, after the recording before the last one has completed.
func (c *card) Replay(r cuda.Recording) error {
	return c.do(func() error {
		end := c.ends[c.replays%len(c.ends)]
		c.replays++
		if err := end.Synchronize(); err != nil { // returns immediately if the event was never recorded
			return err
		}
		if err := c.graphs.launch(r.(*graph), c.handle()); err != nil {
			return err
		}
		return end.Record(c.stream)
	})
}

func (g *graphs) launch(recorded *graph, stream uintptr) error {
	return g.check("launch", g.start(recorded.runnable, stream))
}

// Release destroys a recording.
func (g *graph) Release() error {
	return g.card.do(func() error { return g.card.graphs.check("release", g.card.graphs.release(g.runnable)) })
}

// check returns an error that names the failed step of a recording.
func (*graphs) check(step string, code int32) error {
	if err := status(code); err != nil {
		return fmt.Errorf("a recorded step fails to %s: %w", step, err)
	}
	return nil
}
