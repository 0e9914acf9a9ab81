// Package released reads the checkpoints of AsymVLM's reference implementation, files of
// torch.save, as adapters.
//
//	trained, err := released.Import("checkpoints/coco/0/asymvlm-vmf.pt", "")
//	err = trained.Save("asymvlm-vmf.safetensors")
package released

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/encoder/weights"
	"gosphere/internal/lazyregexp"
)

// A renaming maps a name in the state of a PyTorch module to the name of a parameter.
type renaming struct {
	from *lazyregexp.Regexp
	to   string
}

// names lists the names in the checkpoints of AsymVLM's reference implementation by method.
var names = map[string][]renaming{
	adapter.AsymVLMVonMisesFisher:      asymmetricNames,
	adapter.AsymVLMPowerSpherical:      asymmetricNames,
	adapter.AsymVLMVonMisesFisherExact: asymmetricNames,
	adapter.PFE: {
		{lazyregexp.New(`^(text|image)_adaptor\.logvar\.(\d+\.(?:weight|bias))$`), "$1.$2"},
	},
	adapter.PCMEpp: append([]renaming{
		{lazyregexp.New(`^loss_func\.negative_scale$`), "a"},
		{lazyregexp.New(`^loss_func\.shift$`), "b"},
	}, gaussianNames...),
	adapter.ProLIP:      gaussianNames,
	adapter.ProLIPExact: gaussianNames,
	adapter.ProbVLM: {
		{lazyregexp.New(`^txt_BayesCap\.mod\.([02]\.\w+)$`), "text.trunk.$1"},
		{lazyregexp.New(`^img_BayesCap\.mod\.([02]\.\w+)$`), "image.trunk.$1"},
		{lazyregexp.New(`^txt_BayesCap\.mod\.5\.(\w+)$`), "text.trunk.4.$1"}, // 4 is a dropout there
		{lazyregexp.New(`^img_BayesCap\.mod\.5\.(\w+)$`), "image.trunk.4.$1"},
		{lazyregexp.New(`^txt_BayesCap\.block_(mu|beta)\.([02]\.\w+)$`), "text.head_$1.$2"},
		{lazyregexp.New(`^img_BayesCap\.block_(mu|beta)\.([02]\.\w+)$`), "image.head_$1.$2"},
		{lazyregexp.New(`^txt_BayesCap\.block_alpha\.([02]\.\w+)$`), "text.head_q.$1"},
		{lazyregexp.New(`^img_BayesCap\.block_alpha\.([02]\.\w+)$`), "image.head_q.$1"},
	},
}

var asymmetricNames = []renaming{
	{lazyregexp.New(`^text_adaptor\.etta\.(\d+\.(?:weight|bias))$`), "text.$1"},
	{lazyregexp.New(`^text_adaptor\.temperature$`), "tau"},
}

var gaussianNames = []renaming{
	{lazyregexp.New(`^txt_enc\.logvar\.(\d+\.(?:weight|bias))$`), "text.$1"},
	{lazyregexp.New(`^img_enc\.logvar\.(\d+\.(?:weight|bias))$`), "image.$1"},
}

// Methods lists the methods whose checkpoints Import reads.
func Methods() []string {
	var ids []string
	for _, id := range adapter.Methods() {
		if names[id] != nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// Import reads a checkpoint of AsymVLM's reference implementation: a file of torch.save with the
// state of asymvlm-vmf, asymvlm-psd, pfe, pcmepp, prolip or probvlm. If the method is empty, it is
// the name of the file without .pt, as that program names its files. Sizes follow from the tensors.
// The adapter has no history; its seed and data are unknown. Save writes it for Load.
//
// A method that is not among Methods, a tensor that is missing, unknown or of another
// shape, and a file that is no plain zip of tensors are errors that name the file and the tensor.
func Import(path, method string) (*adapter.Adapter, error) {
	if method == "" {
		method = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	known := names[method]
	if known == nil {
		return nil, fmt.Errorf("released: %s: method %q, want one of %s", path, method, strings.Join(Methods(), ", "))
	}
	w, err := weights.Open(path)
	if err != nil {
		return nil, fmt.Errorf("released: %w", err)
	}
	from := map[string]string{} // names in the file by parameter
	for _, name := range w.Names() {
		i := slices.IndexFunc(known, func(r renaming) bool { return r.from.MatchString(name) })
		if i < 0 {
			return nil, fmt.Errorf("released: %s: tensor %q does not belong to %s", path, name, method)
		}
		from[known[i].from.ReplaceAllString(name, known[i].to)] = name
	}
	options, dimension, err := sizes(w, from, method)
	if err != nil {
		return nil, fmt.Errorf("released: %s: %w", path, err)
	}
	options.Label = "imported from " + filepath.Base(path)
	a, err := adapter.FromTensors(options, dimension, func(name string, shape []int) ([]float32, error) {
		defer delete(from, name)
		return tensor(w, from[name], name, shape)
	})
	if err != nil {
		return nil, fmt.Errorf("released: %s: %s", path, strings.TrimPrefix(err.Error(), "adapter: "))
	}
	for parameter, name := range from {
		return nil, fmt.Errorf("released: %s: tensor %q (%s) does not belong to %s of this depth", path, name, parameter, method)
	}
	return a, nil
}

// sizes returns the options and the dimension of a network from the shapes of its tensors.
func sizes(w *weights.Weights, from map[string]string, method string) (options adapter.Options, dimension int, err error) {
	if options, err = adapter.PaperOptions(method); err != nil {
		return options, 0, err
	}
	first := "text.0.weight"
	if method == adapter.ProbVLM {
		first = "text.trunk.0.weight"
	}
	shape := w.Shape(from[first])
	if len(shape) != 2 {
		return options, 0, fmt.Errorf("no tensor of the first layer of the texts' network, want that of %s", method)
	}
	options.Hidden = shape[0]
	if method != adapter.ProbVLM {
		options.HiddenLayers = -1
		for from[fmt.Sprintf("text.%d.weight", 2*(options.HiddenLayers+1))] != "" {
			options.HiddenLayers++
		}
	}
	return options, shape[1], nil
}

// tensor reads a tensor. PyTorch modules store some scalars as vectors of one value.
func tensor(w *weights.Weights, name, parameter string, shape []int) ([]float32, error) {
	if name == "" {
		return nil, fmt.Errorf("no tensor for the parameter %s", parameter)
	}
	if own := w.Shape(name); len(shape) == 0 && len(own) == 1 && own[0] == 1 {
		shape = own
	}
	return w.Tensor(name, shape...)
}
